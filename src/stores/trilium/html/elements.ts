/** The immutable HTML tree of both conversions; a text node is a string. */
export type Node = string | Element;

export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Node[];
}

export function element(
  name: string,
  attributes: Readonly<Record<string, string>> | ReadonlyMap<string, string>,
  children: readonly Node[],
): Element {
  const map = attributes instanceof Map ? attributes : new Map(Object.entries(attributes));
  return { name, attributes: map, children };
}

export function isElement(node: Node | undefined, name?: string): node is Element {
  return typeof node === 'object' && (name === undefined || node.name === name);
}

export function isBlock(node: Node | undefined): node is Element {
  return isElement(node) && BLOCK_ELEMENTS.has(node.name);
}

/** Whether the element has exactly these attributes. */
export function hasExactly(node: Element, attributes: Readonly<Record<string, string>>): boolean {
  const expected = Object.entries(attributes);
  return (
    node.attributes.size === expected.length &&
    expected.every(([name, value]) => node.attributes.get(name) === value)
  );
}

export function withChildren(node: Element, children: readonly Node[]): Element {
  return { name: node.name, attributes: node.attributes, children };
}

/** The concatenated text content. */
export function textOf(node: Node): string {
  return typeof node === 'string' ? node : node.children.map(textOf).join('');
}

/** Splits children into runs of inline nodes and single block elements, in order. */
export function segments(children: readonly Node[]): (Element | Node[])[] {
  const found: (Element | Node[])[] = [];
  for (const child of children) {
    const last = found[found.length - 1];
    if (isBlock(child)) found.push(child);
    else if (Array.isArray(last)) last.push(child);
    else found.push([child]);
  }
  return found;
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

export const VOID_ELEMENTS = names(
  'area base br col embed frame hr img input link meta param source track wbr',
);

/** Elements that end a paragraph. */
export const BLOCK_ELEMENTS = names(
  'address article aside blockquote body caption center col colgroup dd details div dl dt fieldset figcaption ' +
    'figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol p pre section ' +
    'summary table tbody td tfoot th thead title tr ul',
);

/** Elements in which white space is significant. */
export const KEEPS_SPACE = names('pre textarea');

/** Trilium's yellow highlight, the only background with a markdown form: `==text==`. */
export const HIGHLIGHT_STYLE = 'background-color:hsl(60, 75%, 60%);';
