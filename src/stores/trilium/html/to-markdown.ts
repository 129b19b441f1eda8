/**
 * Converts the HTML of a text note to markdown, as Trilium does, with one additional promise: `toHtml` of the result
 * yields the same HTML, up to the differences listed in `canonical.ts`. The promise is kept by conversion and
 * comparison: a block that does not come back stays HTML. Loads the markdown parser, so import it dynamically:
 * `await import('./to-markdown.ts')`.
 */
import { canonical } from './canonical.ts';
import { type Element, isElement, type Node, segments } from './elements.ts';
import { itemsOfSection } from './footnotes.ts';
import { parseHtml } from './parse.ts';
import { type FootnoteTable, footnoteTable } from './rules/footnotes.ts';
import { type MarkdownReading, readMarkdown } from './to-html.ts';
import { rawBlock, rowLines, tableInPieces, writeBlocks, writeTable } from './write/blocks.ts';
import { writeInline } from './write/inline.ts';

/** Compares two trees, ignoring the order of attributes. */
function isSameTree(some: readonly Node[], others: readonly Node[]): boolean {
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index++)
    if (!isSameNode(some[index]!, others[index]!)) return false;
  return true;
}

function isSameNode(one: Node, other: Node): boolean {
  if (one === other) return true;
  if (typeof one === 'string' || typeof other === 'string') return false;
  return (
    one.name === other.name &&
    hasSameAttributes(one.attributes, other.attributes) &&
    isSameTree(one.children, other.children)
  );
}

function hasSameAttributes(some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): boolean {
  if (some === others) return true;
  if (some.size !== others.size) return false;
  for (const [name, value] of some) if (others.get(name) !== value) return false;
  return true;
}

const NONE: ReadonlySet<string> = new Set();

export function toMarkdown(html: string): string {
  const parts = partsOf(parseHtml(html)).map(canonical);
  const labels = footnoteLabels(parts[parts.length - 1] ?? []);
  const written = (labels.size > 0 ? writeWithFootnotes(parts, labels) : undefined) ?? writeParts(parts);
  const markdown = written.texts.join('\n\n');
  if (written.isProven) return markdown;
  const tree = parts.flat();
  return isSameTree(canonical(readBack(markdown).tree), tree) ? markdown : writeRaw(tree).join('\n\n');
}

/** Nodes converted and verified at a time, which bounds the memory needed. */
const NODES_OF_A_PART = 1_500;

/** Splits a tree into parts that can be joined as markdown: each begins and ends with a paragraph or heading. */
function partsOf(tree: readonly Node[]): (readonly Node[])[] {
  const parts: (readonly Node[])[] = [];
  let start = 0;
  let size = 0;
  let isAfterText = false;
  for (let index = 0; index < tree.length; index++) {
    const node = tree[index]!;
    const isText = isPlainText(node);
    if (size >= NODES_OF_A_PART && isAfterText && isText) {
      parts.push(tree.slice(start, index));
      start = index;
      size = 0;
    }
    size += countNodes(node);
    // White space between blocks is insignificant.
    if (typeof node !== 'string' || node.trim() !== '') isAfterText = isText;
  }
  if (start < tree.length || parts.length === 0) parts.push(tree.slice(start));
  return parts;
}

function isPlainText(node: Node): boolean {
  return isElement(node) && node.attributes.size === 0 && TEXT_BLOCK.test(node.name) && hasText(node);
}

const TEXT_BLOCK = /^(?:p|h[2-6])$/;

/** A paragraph that begins with text is neither empty nor a formula. */
function hasText({ children: [first] }: Element): boolean {
  return typeof first === 'string' && /^[\p{L}\p{N}]/u.test(first);
}

function countNodes(node: Node): number {
  if (typeof node === 'string') return 1;
  let count = 1;
  for (const child of node.children) count += countNodes(child);
  return count;
}

interface WrittenMarkdown {
  readonly texts: readonly string[];
  /** Whether the blocks were verified by reading them back. */
  readonly isProven: boolean;
}

/** Labels of the footnote section, which must be at the end. */
function footnoteLabels(lastPart: readonly Node[]): ReadonlySet<string> {
  const last = lastPart[lastPart.length - 1];
  const items = isElement(last) ? itemsOfSection(last) : undefined;
  return new Set(items?.map(({ label }) => label));
}

/** Undefined if any part fails verification: references and footnotes are in different parts, so all must succeed. */
function writeWithFootnotes(
  parts: readonly (readonly Node[])[],
  labels: ReadonlySet<string>,
): WrittenMarkdown | undefined {
  const table = footnoteTable(labels);
  const texts: string[] = [];
  for (const [index, part] of parts.entries()) {
    const text = writeBlocks(part, { footnotes: labels, depth: 0 }).join('\n\n');
    const back = readBack(text, table);
    const isLast = index === parts.length - 1;
    if (!isSameTree(canonical(back.tree), part) || (!isLast && !back.isSelfContained)) return undefined;
    texts.push(text);
  }
  return { texts, isProven: true };
}

/** For notes without footnotes. */
function writeParts(parts: readonly (readonly Node[])[]): WrittenMarkdown {
  const written = parts.map((part, index) => writePart(part, index === parts.length - 1));
  return { texts: written.map(({ text }) => text), isProven: written.every(({ isProven }) => isProven) };
}

function writePart(
  part: readonly Node[],
  isLast: boolean,
): { readonly text: string; readonly isProven: boolean } {
  const splitText = writeSplitTables(part);
  if (splitText) return { text: splitText.text, isProven: isLast || splitText.isSelfContained };
  let text = '';
  for (const write of [writeWhole, writeTested]) {
    text = write(part).join('\n\n');
    const back = readBack(text);
    if (isSameTree(canonical(back.tree), part)) return { text, isProven: isLast || back.isSelfContained };
  }
  return { text: writeRaw(part).join('\n\n'), isProven: isLast };
}

/**
 * Verifies a part with long tables some rows at a time: a row is one line, and depends only on itself and the
 * header. Undefined if there are no such tables, or if verification fails.
 */
function writeSplitTables(
  part: readonly Node[],
): { readonly text: string; readonly isSelfContained: boolean } | undefined {
  const tables = new Map<Node, readonly Element[]>();
  for (const node of part) {
    const pieces = isElement(node, 'figure') ? tableInPieces(node, ROWS_OF_A_PIECE) : undefined;
    if (pieces && writeTable(pieces[0]!, { footnotes: NONE }) !== undefined) tables.set(node, pieces);
  }
  if (tables.size === 0) return undefined;
  const shortened = part.map((node) => tables.get(node)?.[0] ?? node);
  const texts = writeWhole(shortened);
  const back = readBack(texts.join('\n\n'));
  if (!isSameTree(canonical(back.tree), shortened)) return undefined;
  for (const [index, segment] of segments(part).entries()) {
    for (const piece of (Array.isArray(segment) ? undefined : tables.get(segment)?.slice(1)) ?? []) {
      const text = writeTable(piece, { footnotes: NONE });
      if (text === undefined || !isSameTree(canonical(readBack(text).tree), [piece])) return undefined;
      texts[index] += `\n${rowLines(text)}`;
    }
  }
  return { text: texts.join('\n\n'), isSelfContained: back.isSelfContained };
}

const ROWS_OF_A_PIECE = 200;

function writeWhole(part: readonly Node[]): string[] {
  return writeBlocks(part, { footnotes: NONE, depth: 0 });
}

/** Verifies each block on its own. */
function writeTested(part: readonly Node[]): string[] {
  const blocks = segments(part);
  return writeWhole(part).map((markdown, index) => {
    const block = blocks[index]!;
    if (Array.isArray(block)) return markdown;
    return isSameTree(canonical(readBack(markdown).tree), [block]) ? markdown : rawBlock(block, false);
  });
}

function writeRaw(tree: readonly Node[]): string[] {
  return segments(tree).map((block) =>
    Array.isArray(block) ? writeInline(block, { footnotes: NONE }) : rawBlock(block, false),
  );
}

function readBack(markdown: string, table?: FootnoteTable): MarkdownReading {
  return readMarkdown(markdown, { table });
}
