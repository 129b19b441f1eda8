/**
 * All conversions of Trilium note texts by name, for the main thread and the worker. Loads the markdown parser, so
 * import it dynamically: `await import('./conversions.ts')`.
 */
import { cleanFile, cleanHtml } from './clean.ts';
import { type Element, element, hasExactly, isElement, type Node, withChildren } from './elements.ts';
import { labelOfReference, NOTE_PREFIX, REFERENCE_PREFIX, SECTION_ATTRIBUTES } from './footnotes.ts';
import { parseHtml } from './parse.ts';
import { findingsIn } from './sanitize.ts';
import { openTag, serialize } from './serialize.ts';
import { toHtml } from './to-html.ts';
import { toMarkdown } from './to-markdown.ts';

const SECTION = openTag(element('section', SECTION_ATTRIBUTES, []));
const SECTION_END = '</section>';
const LIST_END = '</ol>';

/**
 * Appends HTML to HTML. Footnotes stay at the end: if the text ends with a footnote section, the addition goes
 * before it, and its own footnotes are added to it under unused labels.
 */
export function joinHtml(before: string, addition: string): string {
  const first = splitFootnotes(before);
  if (!addition.includes(SECTION)) return first ? first.body + addition + first.section : before + addition;
  const tree = withFreeLabels(parseHtml(addition), { taken: idsIn(before), offset: first?.count ?? 0 });
  const last = tree[tree.length - 1];
  const items = isElement(last) ? itemsOf(last) : undefined;
  if (!first || !items) return before + serialize(tree);
  const end = first.section.lastIndexOf(LIST_END);
  const section = first.section.slice(0, end) + serialize(items) + first.section.slice(end);
  return first.body + serialize(tree.slice(0, -1)) + section;
}

interface SplitHtml {
  readonly body: string;
  readonly section: string;
  /** Number of footnotes. */
  readonly count: number;
}

/** Undefined if the text does not end with a footnote section. */
function splitFootnotes(html: string): SplitHtml | undefined {
  const text = html.trimEnd();
  const start = text.endsWith(SECTION_END) ? text.lastIndexOf(SECTION) : -1;
  if (start < 0) return undefined;
  const section = text.slice(start);
  const [parsed, ...others] = parseHtml(section);
  const items = isElement(parsed) && others.length === 0 ? itemsOf(parsed) : undefined;
  const isPlain = items && section.endsWith(`${LIST_END}${SECTION_END}`);
  return isPlain ? { body: text.slice(0, start), section, count: items.length } : undefined;
}

function itemsOf(section: Element): readonly Node[] | undefined {
  const list = section.children[section.children.length - 1];
  const isSection = section.name === 'section' && hasExactly(section, Object.fromEntries(SECTION_ATTRIBUTES));
  return isSection && isElement(list, 'ol') ? list.children : undefined;
}

function idsIn(html: string): Set<string> {
  return new Set([...html.matchAll(/\bid="(footnote-[^"]*)"/g)].map(([, id]) => id!));
}

interface Renaming {
  readonly taken: ReadonlySet<string>;
  /** Added to the displayed reference numbers. */
  readonly offset: number;
}

/** The label part of a footnote's id or address, URL-encoded. */
type EncodedLabel = string;

function withFreeLabels(tree: readonly Node[], { taken, offset }: Renaming): readonly Node[] {
  const labels = new Set<EncodedLabel>();
  collectLabels(tree, labels);
  const names = new Map<EncodedLabel, EncodedLabel>();
  const isFree = (label: EncodedLabel) =>
    !taken.has(`${NOTE_PREFIX}${label}`) && !taken.has(`${REFERENCE_PREFIX}${label}`);
  let highest = 0;
  for (const id of [...taken, ...[...labels].map((label) => `${NOTE_PREFIX}${label}`)])
    highest = Math.max(highest, Number(/^footnote-(\d{1,9})$/.exec(id)?.[1] ?? 0));
  for (const label of labels) {
    let name = label;
    if (!isFree(name) && /^\d+$/.test(label)) name = String(++highest);
    for (let number = 2; !isFree(name) || (name !== label && labels.has(name)); number++)
      name = `${label}-${number}`;
    names.set(label, name);
  }
  return tree.map((node) => renamed(node, names, offset));
}

function collectLabels(nodes: readonly Node[], labels: Set<EncodedLabel>): void {
  for (const node of nodes) {
    if (!isElement(node)) continue;
    const id = node.name === 'li' ? (node.attributes.get('id') ?? '') : '';
    if (id.startsWith(NOTE_PREFIX)) labels.add(id.slice(NOTE_PREFIX.length));
    collectLabels(node.children, labels);
  }
}

function renamed(node: Node, names: ReadonlyMap<EncodedLabel, EncodedLabel>, offset: number): Node {
  if (!isElement(node)) return node;
  if (labelOfReference(node) !== undefined) return renamedReference(node, names, offset);
  const children = node.children.map((child) => renamed(child, names, offset));
  const id = node.attributes.get('id') ?? '';
  const href = node.attributes.get('href') ?? '';
  if (node.name === 'li' && id.startsWith(NOTE_PREFIX)) {
    const name = names.get(id.slice(NOTE_PREFIX.length));
    return name === undefined
      ? withChildren(node, children)
      : element('li', set(node, { id: `${NOTE_PREFIX}${name}` }), children);
  }
  if (
    node.name === 'a' &&
    node.attributes.has('data-footnote-backref') &&
    href.startsWith(`#${REFERENCE_PREFIX}`)
  )
    return element('a', set(node, { href: `#${renamedId(href.slice(1), names)}` }), children);
  return withChildren(node, children);
}

/** The label in a footnote link. */
function labelIn(link: Element): EncodedLabel {
  return (link.attributes.get('href') ?? '').slice(`#${NOTE_PREFIX}`.length);
}

function renamedReference(
  node: Element,
  names: ReadonlyMap<EncodedLabel, EncodedLabel>,
  offset: number,
): Element {
  const [link] = node.children;
  const name = isElement(link) ? names.get(labelIn(link)) : undefined;
  if (!isElement(link) || name === undefined) return node;
  const shown = link.children[0];
  const number =
    typeof shown === 'string' && /^\d{1,9}$/.test(shown) ? String(Number(shown) + offset) : undefined;
  const label = labelIn(link);
  // After the label comes the number of a repeated reference.
  const suffix = (link.attributes.get('id') ?? '').slice(REFERENCE_PREFIX.length + label.length);
  const attributes = set(link, { id: `${REFERENCE_PREFIX}${name}${suffix}`, href: `#${NOTE_PREFIX}${name}` });
  return withChildren(node, [element('a', attributes, number === undefined ? link.children : [number])]);
}

/** Renames the label and keeps the number of a repeated reference. */
function renamedId(id: string, names: ReadonlyMap<EncodedLabel, EncodedLabel>): string {
  const rest = id.slice(REFERENCE_PREFIX.length);
  const whole = names.get(rest);
  if (whole !== undefined) return `${REFERENCE_PREFIX}${whole}`;
  const [, label = rest, suffix = ''] = /^(.*)(-\d+)$/.exec(rest) ?? [];
  return `${REFERENCE_PREFIX}${names.get(label) ?? label}${suffix}`;
}

function set(
  { attributes }: Element,
  changes: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  return new Map([...attributes, ...Object.entries(changes)]);
}

/**
 * The text of a note after an edit of a part. Existing text stays as written; but a text that becomes active as a
 * whole, even if each half is harmless, is cleaned.
 */
export function editedHtml(before: string, after: string): string {
  const { canAct, oddities } = findingsIn(after);
  const isKnown = oddities.length === 0 || isAmong(oddities, findingsIn(before).oddities);
  return !canAct && isKnown ? after : cleanHtml(after);
}

/** `addition` must be clean. */
export function appendedHtml(before: string, addition: string): string {
  return findingsIn(before).endsOpen ? cleanHtml(before + addition) : joinHtml(before, addition);
}

/** Multiset inclusion. */
function isAmong(wanted: readonly string[], present: readonly string[]): boolean {
  const left = new Map<string, number>();
  for (const one of present) left.set(one, (left.get(one) ?? 0) + 1);
  return wanted.every((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count > 0;
  });
}

export const conversions = {
  toHtml,
  toMarkdown,
  /** Removes scripts and other active content. */
  clean: cleanHtml,
  /** The edited text, cleaned only if it holds active content. */
  edited: editedHtml,
  /** The text with an addition at its end, before any footnotes. */
  joined: joinHtml,
  /** As `joined`, with active content removed from the text; the addition must be clean already. */
  appended: appendedHtml,
  /** Undefined when there is nothing to remove, which spares a copy. */
  cleanedFile: (mime: string, bytes: Uint8Array): Uint8Array | undefined => {
    const clean = cleanFile(mime, bytes);
    return clean === bytes ? undefined : clean;
  },
};
