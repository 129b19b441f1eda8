/**
 * The HTML of a text note as markdown, as Trilium's own conversion writes it, with one promise more: `toHtml` of it is
 * the same HTML again, up to what `canonical` calls the same. The promise is kept by trying: what does not come
 * back as it was stays HTML, a block at a time.
 *
 * Loads the markdown parser: reach it through `await import('./to-markdown.ts')`.
 */

import { canonical } from './canonical.ts';
import { type Element, isElement, type Node, segments } from './elements.ts';
import { itemsOfSection } from './footnotes.ts';
import { parseHtml } from './parse.ts';
import { type FootnoteTable, footnoteTable } from './rules/footnotes.ts';
import { type MarkdownReading, readMarkdown } from './to-html.ts';
import { rawBlock, rowLines, tableInPieces, writeBlocks, writeTable } from './write/blocks.ts';
import { writeInline } from './write/inline.ts';

/** Whether two trees are the same, whatever the order of their attributes. */

export function isSameTree(some: readonly Node[], others: readonly Node[]): boolean {
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

/** How much is written and read back at a time: what is done is forgotten, and memory stays small. */
const NODES_OF_A_PART = 1_500;

/** A tree in parts that markdown can have one after the other: each begins and ends with a paragraph or a heading. */
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
    // Space between blocks is nothing.
    if (typeof node !== 'string' || node.trim() !== '') isAfterText = isText;
  }
  if (start < tree.length || parts.length === 0) parts.push(tree.slice(start));
  return parts;
}

function isPlainText(node: Node): boolean {
  return isElement(node) && node.attributes.size === 0 && TEXT_BLOCK.test(node.name) && hasText(node);
}

const TEXT_BLOCK = /^(?:p|h[2-6])$/;

/** Beginning with a word, it is neither a formula nor empty. */
function hasText({ children: [first] }: Element): boolean {
  return typeof first === 'string' && /^[\p{L}\p{N}]/u.test(first);
}

function countNodes(node: Node): number {
  if (typeof node === 'string') return 1;
  let count = 1;
  for (const child of node.children) count += countNodes(child);
  return count;
}

interface Written {
  readonly texts: readonly string[];
  /** Read back, they are what was written. */
  readonly isProven: boolean;
}

/** The labels of a section of footnotes at the end, where markdown has it. */
function footnoteLabels(lastPart: readonly Node[]): ReadonlySet<string> {
  const last = lastPart[lastPart.length - 1];
  const items = isElement(last) ? itemsOfSection(last) : undefined;
  return new Set(items?.map(({ label }) => label));
}

/** Undefined if it does not come back: references and notes stand in different parts, so that all have to. */
function writeWithFootnotes(
  parts: readonly (readonly Node[])[],
  labels: ReadonlySet<string>,
): Written | undefined {
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

/** Without footnotes. */
function writeParts(parts: readonly (readonly Node[])[]): Written {
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
 * A part with tables of many rows, proven some rows at a time. Every row is a line that begins with a bar, so that
 * what it means depends on nothing but itself and the header. Undefined if there are no such tables, or if
 * anything does not come back.
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

/** Each block on its own. */
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
