/** What a note may hold: Trilium's own vocabulary and ordinary formatting. Whatever is not named here goes. */
const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

export const ALLOWED_ELEMENTS = names(
  'a abbr address article aside audio b bdi bdo big blockquote br caption center cite code col colgroup data dd ' +
    'del details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins ' +
    'kbd label li main mark menu nav oembed ol p picture pre q rp rt ruby s samp section small source span ' +
    'strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var video wbr',
);

/** Go with all that is inside; in prose, without their end tag, only the tag goes. */
export const ACTIVE_ELEMENTS = names(
  'applet base embed frame frameset iframe link math meta noembed noframes noscript object param portal script ' +
    'style svg template',
);

/** Known to browsers, of no use in a note: the tag goes, what is inside stays. */
export const UNWANTED_ELEMENTS = names(
  'acronym area basefont bgsound blink button canvas datalist dialog dir fencedframe fieldset font form image ' +
    'isindex keygen layer legend listing map marquee meter multicol nobr option optgroup output plaintext ' +
    'progress search select slot textarea track xmp',
);

const EVERYWHERE = names('class id title lang dir style role align width height spellcheck translate');

const BY_ELEMENT: Readonly<Record<string, ReadonlySet<string>>> = {
  a: names('href target rel hreflang download'),
  audio: names('src controls loop muted preload'),
  blockquote: names('cite'),
  col: names('span'),
  colgroup: names('span'),
  data: names('value'),
  del: names('cite datetime'),
  details: names('open'),
  img: names('src alt loading'),
  input: names('type checked disabled'),
  ins: names('cite datetime'),
  label: names('for'),
  li: names('value'),
  oembed: names('url'),
  ol: names('start reversed type'),
  q: names('cite'),
  source: names('src type'),
  table: names('border cellpadding cellspacing summary'),
  td: names('colspan rowspan headers valign bgcolor'),
  th: names('colspan rowspan headers scope abbr valign bgcolor'),
  time: names('datetime'),
  tr: names('valign bgcolor'),
  ul: names('type'),
  video: names('src controls loop muted preload poster'),
};

/** `data-bs-…` would wire the element to the widgets of Trilium's own page. */
const FREE_NAME = /^(?:data-(?!bs-)|aria-)[a-z0-9_.-]+$/;

export function isAllowedAttribute(element: string, attribute: string): boolean {
  return (
    EVERYWHERE.has(attribute) || BY_ELEMENT[element]?.has(attribute) === true || FREE_NAME.test(attribute)
  );
}
