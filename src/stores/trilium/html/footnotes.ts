/** HTML of footnotes from markdown: references, the section at the end, and the backlinks. */
import { type Element, element, hasExactly, isElement, type Node } from './elements.ts';

interface FootnoteName {
  readonly label: string;
  /** Numbered from 1 in the order of first references. */
  readonly number: number;
}

export const SECTION_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['class', 'footnotes'],
  ['data-footnotes', ''],
]);

export function sectionHead(): Element {
  return element('h2', { id: 'footnote-label', class: 'sr-only' }, ['Footnotes']);
}

export function itemId(label: string): string {
  return `footnote-${encodeURIComponent(label)}`;
}

/** Id prefixes of footnotes and references. */
export const NOTE_PREFIX = 'footnote-';
export const REFERENCE_PREFIX = 'footnote-ref-';

function referenceId(label: string, occurrence: number): string {
  const id = `${REFERENCE_PREFIX}${encodeURIComponent(label)}`;
  return occurrence === 1 ? id : `${id}-${occurrence}`;
}

export function reference({ label, number }: FootnoteName, occurrence: number): Element {
  const attributes = {
    id: referenceId(label, occurrence),
    href: `#${itemId(label)}`,
    'data-footnote-ref': '',
  };
  return element('sup', {}, [element('a', attributes, [String(number)])]);
}

export function backReferences(label: string, count: number): Node[] {
  return Array.from({ length: count }, (_, index): Node[] => {
    const attributes = { href: `#${referenceId(label, index + 1)}`, 'data-footnote-backref': '' };
    const mark: Node[] = index === 0 ? ['↩'] : ['↩', element('sup', {}, [String(index + 1)])];
    return [' ', element('a', attributes, mark)];
  }).flat();
}

/** The label of a footnote reference; undefined for other elements. */
export function labelOfReference(node: Element): string | undefined {
  const [link, ...others] = node.children;
  if (node.name !== 'sup' || others.length > 0 || !isElement(link, 'a')) return undefined;
  const href = link.attributes.get('href') ?? '';
  if (!link.attributes.has('data-footnote-ref') || !href.startsWith('#footnote-')) return undefined;
  return plainLabel(href.slice('#footnote-'.length));
}

/** The items of a footnote section; undefined for other elements. */
export function itemsOfSection(node: Element): { label: string; children: readonly Node[] }[] | undefined {
  if (node.name !== 'section' || !hasExactly(node, Object.fromEntries(SECTION_ATTRIBUTES))) return undefined;
  const list = node.children.find((child) => isElement(child, 'ol'));
  if (!isElement(list)) return undefined;
  const items: { label: string; children: readonly Node[] }[] = [];
  for (const item of list.children) {
    const id = isElement(item, 'li') ? (item.attributes.get('id') ?? '') : '';
    const label = id.startsWith('footnote-') ? plainLabel(id.slice('footnote-'.length)) : undefined;
    if (!isElement(item) || label === undefined) return undefined;
    items.push({ label, children: withoutWayBack(item.children) });
  }
  return items;
}

function plainLabel(encoded: string): string | undefined {
  try {
    const label = decodeURIComponent(encoded);
    return /^[^\s\]]{1,100}$/.test(label) ? label : undefined;
  } catch {
    // An undecodable id is not one of ours; the element stays HTML.
    return undefined;
  }
}

/** Removes the backlinks from the end of the last paragraph. */
function withoutWayBack(children: readonly Node[]): Node[] {
  const last = children[children.length - 1];
  if (!isElement(last, 'p')) return [...children];
  const kept = [...last.children];
  for (let node = kept[kept.length - 1]; isWayBack(node) || node === ' '; node = kept[kept.length - 1])
    kept.pop();
  const end = kept[kept.length - 1];
  if (typeof end === 'string') kept[kept.length - 1] = end.replace(/ $/, '');
  const before = children.slice(0, -1);
  return kept.length === 0 ? before : [...before, element('p', last.attributes, kept)];
}

function isWayBack(node: Node | undefined): boolean {
  return isElement(node, 'a') && node.attributes.has('data-footnote-backref');
}
