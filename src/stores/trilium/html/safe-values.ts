/** Allow-lists of addresses and styles. */

/** Schemes that open a program or page without executing the address. */
const SCHEMES = new Set(
  (
    'http https ftp ftps sftp ssh git svn mailto tel sms geo maps magnet news irc ircs xmpp matrix sip sips ' +
    'facetime webcal file smb nfs ed2k doi urn steam spotify zotero obsidian evernote onenote notion logseq ' +
    'joplin mailspring message thunderlink slack msteams zoommtg vscode vscode-insiders things x-devonthink-item ' +
    'raindrop trilium nxm discord skype whatsapp tg'
  ).split(' '),
);

/** Image types that cannot contain scripts; SVG can. */
const PICTURE = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon|tiff|heic)[;,]/i;

/** `image:0` is a placeholder for the first image of the call. */
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

/**
 * Normalizes an address as browsers do: leading control characters and spaces are skipped, line breaks and tabs
 * anywhere.
 */
function asBrowsersRead(url: string): string {
  return url.replace(/[\t\n\r]/g, '').replace(/^[\u0000-\u0020]+/, '');
}

/**
 * Filters the `style` attribute by lists of properties and functions. Other declarations are removed; a style that
 * is allowed as a whole is kept as written.
 */
const PROPERTIES = new Set(
  (
    'aspect-ratio background background-color border-collapse border-radius border-spacing break-after break-before ' +
    'break-inside caption-side clear color columns column-count column-gap direction display empty-cells flex ' +
    'float font font-family font-feature-settings font-kerning font-size font-stretch font-style font-variant ' +
    'font-weight height hyphens letter-spacing line-height list-style list-style-position list-style-type ' +
    'max-height max-width min-height min-width object-fit opacity orphans overflow overflow-wrap ' +
    'page-break-after page-break-before page-break-inside table-layout tab-size text-align text-align-last ' +
    'text-decoration text-decoration-color text-decoration-line text-decoration-style ' +
    'text-decoration-thickness text-indent text-overflow text-shadow text-transform unicode-bidi ' +
    'vertical-align visibility white-space widows width word-break word-spacing word-wrap writing-mode'
  ).split(' '),
);
const FAMILIES = /^(?:border|margin|padding)(?:-[a-z]+)*$/;

const FUNCTIONS = new Set(
  'rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix var calc min max clamp'.split(' '),
);

/** No escapes, comments, blocks, at-rules or markup. */
const PLAIN_VALUE = /^[^\\@{}<>\u0000-\u001f]*$/;

export function safeStyle(style: string): string {
  const declarations = style.split(';').filter((declaration) => declaration.trim() !== '');
  const kept = declarations.filter(isSafeDeclaration);
  if (kept.length === declarations.length) return style;
  return kept.map((declaration) => `${declaration.trim()};`).join('');
}

/** A semicolon inside quotes splits the declaration into two with unbalanced quotes, which are both refused. */
function isSafeDeclaration(declaration: string): boolean {
  const colon = declaration.indexOf(':');
  const property = declaration.slice(0, colon).trim().toLowerCase();
  const value = declaration.slice(colon + 1);
  return (
    colon > 0 &&
    (PROPERTIES.has(property) || FAMILIES.test(property)) &&
    PLAIN_VALUE.test(value) &&
    !value.includes('/*') &&
    isEven(value.split('"').length - 1) &&
    isEven(value.split("'").length - 1) &&
    [...value.matchAll(/([a-z-]*)\(/gi)].every(([, name]) => FUNCTIONS.has(name!.toLowerCase()))
  );
}

function isEven(count: number): boolean {
  return count % 2 === 0;
}
