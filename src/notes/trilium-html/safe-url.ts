/** Which addresses a note may point to. */

/** Schemes that open a program or a page without running what the address says. */
const SCHEMES = new Set(
  (
    'http https ftp ftps sftp ssh git svn mailto tel sms geo maps magnet news irc ircs xmpp matrix sip sips ' +
    'facetime webcal file smb nfs ed2k doi urn steam spotify zotero obsidian evernote onenote notion logseq ' +
    'joplin mailspring message thunderlink slack msteams zoommtg vscode vscode-insiders things x-devonthink-item ' +
    'raindrop trilium nxm discord skype whatsapp tg'
  ).split(' '),
);

/** Pictures that cannot hold a script. SVG can. */
const PICTURE = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon|tiff|heic)[;,]/i;

/** `image:0` stands for the first picture sent along with a note. */
const PLACEHOLDER = /^image:\d+$/;

const URL_ATTRIBUTES = new Set(['href', 'src', 'cite', 'poster', 'url']);

export function isUrlAttribute(name: string): boolean {
  return URL_ATTRIBUTES.has(name);
}

export function isPicture(url: string): boolean {
  return PICTURE.test(url);
}

export function isSafeUrl(url: string, element: string): boolean {
  const plain = asBrowsersRead(url);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(plain)?.[1]?.toLowerCase();
  if (scheme === undefined) return true;
  if (element === 'img' && (isPicture(plain) || PLACEHOLDER.test(plain))) return true;
  return SCHEMES.has(scheme);
}

/** Browsers skip control characters and spaces in front, and line breaks and tabs anywhere. */
function asBrowsersRead(url: string): string {
  return url.replace(/[\t\n\r]/g, '').replace(/^[\u0000-\u0020]+/, '');
}
