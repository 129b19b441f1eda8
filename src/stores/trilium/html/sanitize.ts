/** Removes active content from a tree by allow-lists of elements, attributes, addresses and styles. */
import { type Element, type Node, VOID_ELEMENTS } from './elements.ts';
import { isSafeUrl, isUrlAttribute, safeStyle } from './safe-values.ts';
import { tokenize } from './tokenize.ts';

/** The elements of a note: Trilium's own vocabulary and ordinary formatting. All others are removed. */
const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

export const ALLOWED_ELEMENTS = names(
  'a abbr address article aside audio b bdi bdo big blockquote br caption center cite code col colgroup data dd ' +
    'del details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins ' +
    'kbd label li main mark menu nav oembed ol p picture pre q rp rt ruby s samp section small source span ' +
    'strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var video wbr',
);

/** Elements removed with their content; where the end tag is missing, only the tag is removed. */
export const ACTIVE_ELEMENTS = names(
  'applet base embed frame frameset iframe link math meta noembed noframes noscript object param portal script ' +
    'style svg template',
);

/** Elements whose tag is removed and whose content stays. */
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

/** Not `data-bs-…`, which would activate Bootstrap widgets of Trilium's own page. */
const FREE_NAME = /^(?:data-(?!bs-)|aria-)[a-z0-9_.-]+$/;

function isAllowedAttribute(element: string, attribute: string): boolean {
  return (
    EVERYWHERE.has(attribute) || BY_ELEMENT[element]?.has(attribute) === true || FREE_NAME.test(attribute)
  );
}

interface SanitizeOptions {
  /** Elements without an end tag: only the tag is removed, so that a slip in prose does not take the rest along. */
  readonly unclosed: ReadonlySet<Element>;
  /** Active elements whose content stays as text. */
  readonly opened?: ReadonlySet<string>;
}

/** Returns the identical objects where nothing is removed, which is the usual case. */
export function sanitize(children: readonly Node[], options: SanitizeOptions): readonly Node[] {
  let clean: Node[] | undefined;
  for (let index = 0; index < children.length; index++) {
    const child = children[index]!;
    if (typeof child === 'string') {
      if (clean) add(clean, child);
      continue;
    }
    const kept = isKept(child) ? sanitizeElement(child, options) : undefined;
    const isEmptyLink = kept?.name === 'a' && kept.attributes.size === 0;
    if (kept === child && !isEmptyLink) {
      clean?.push(child);
      continue;
    }
    clean ??= children.slice(0, index);
    if (kept && !isEmptyLink) clean.push(kept);
    else if (kept) for (const inner of kept.children) add(clean, inner);
    else if (!goesWhole(child, options))
      for (const inner of sanitize(child.children, options)) add(clean, inner);
  }
  return clean ?? children;
}

/** Merges adjacent text nodes. */
function add(nodes: Node[], node: Node): void {
  const last = nodes[nodes.length - 1];
  if (typeof node === 'string' && typeof last === 'string') nodes[nodes.length - 1] = last + node;
  else nodes.push(node);
}

function goesWhole(element: Element, { unclosed, opened }: SanitizeOptions): boolean {
  if (VOID_ELEMENTS.has(element.name)) return true;
  return ACTIVE_ELEMENTS.has(element.name) && !unclosed.has(element) && opened?.has(element.name) !== true;
}

function isKept({ name, attributes }: Element): boolean {
  if (!ALLOWED_ELEMENTS.has(name)) return false;
  return name !== 'input' || attributes.get('type')?.toLowerCase() === 'checkbox';
}

function sanitizeElement(element: Element, options: SanitizeOptions): Element {
  const attributes = sanitizeAttributes(element);
  const children = sanitize(element.children, options);
  if (attributes === element.attributes && children === element.children) return element;
  return { name: element.name, attributes, children };
}

function sanitizeAttributes({ name: element, attributes }: Element): ReadonlyMap<string, string> {
  if (attributes.size === 0) return attributes;
  for (const [name, value] of attributes)
    if (safeValue(element, name, value) !== value) return safeAttributes(element, attributes);
  return attributes;
}

function safeAttributes(
  element: string,
  attributes: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const safe = new Map<string, string>();
  for (const [name, value] of attributes) {
    const kept = safeValue(element, name, value);
    if (kept !== undefined) safe.set(name, kept);
  }
  return safe;
}

function safeValue(element: string, name: string, value: string): string | undefined {
  if (!isAllowedAttribute(element, name)) return undefined;
  if (isUrlAttribute(name)) return isSafeUrl(value, element) ? value : undefined;
  if (name === 'style') return safeStyle(value) || undefined;
  return value;
}

interface ActiveContentFindings {
  /** Contains a script, an event handler, a script address, or something that could hide one. */
  readonly canAct: boolean;
  /** Harmless markup that is not on the allow-lists: old tags, attributes and styles, verbatim. */
  readonly oddities: readonly string[];
  /** Whether text appended to this one might be parsed as part of it. */
  readonly endsOpen: boolean;
}

/** Raw-text elements, in which browsers parse no tags. */
const RAW_ELEMENTS = new Set(['textarea', 'title', 'xmp', 'plaintext']);

/**
 * Decides whether HTML may be kept as written, tag by tag as browsers read them. Input that browsers would
 * parse differently (raw-text elements, unterminated tags) counts as active.
 */
export function findingsIn(html: string): ActiveContentFindings {
  const oddities: string[] = [];
  const open = new Map<string, number>();
  let canAct = false;
  let isUnfinished = false;
  const count = (name: string, by: number) => open.set(name, Math.max(0, (open.get(name) ?? 0) + by));
  tokenize(html, {
    text: () => {},
    open: (name, attributes, start, end) => {
      if (isActive(name)) count(name, 1);
      canAct ||= isActive(name) || [...attributes].some(([key, value]) => acts(name, key, value));
      if (!isPlain(name, attributes)) oddities.push(html.slice(start, end));
    },
    close: (name) => {
      if (isActive(name) && name !== 'plaintext') count(name, -1);
    },
    unfinished: () => {
      isUnfinished = true;
    },
  });
  return {
    canAct: canAct || isUnfinished,
    oddities,
    endsOpen: isUnfinished || [...open.values()].some((times) => times > 0),
  };
}

function isActive(name: string): boolean {
  return ACTIVE_ELEMENTS.has(name) || RAW_ELEMENTS.has(name);
}

function acts(element: string, name: string, value: string): boolean {
  if (/^on/i.test(name)) return true;
  if (isUrlAttribute(name)) return !isSafeUrl(value, element);
  return /^(?:javascript|vbscript|data):/i.test(value.replace(/[\u0000-\u0020]/g, ''));
}

function isPlain(element: string, attributes: ReadonlyMap<string, string>): boolean {
  if (!ALLOWED_ELEMENTS.has(element)) return false;
  if (element === 'input' && attributes.get('type')?.toLowerCase() !== 'checkbox') return false;
  return [...attributes].every(
    ([name, value]) => isAllowedAttribute(element, name) && (name !== 'style' || safeStyle(value) === value),
  );
}
