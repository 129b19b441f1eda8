/** Blocks as markdown; what has no markdown form stays HTML. */
import { itemsOfSection } from '../footnotes.ts';
import { onlyDisplayMath, readMath } from '../math.ts';
import { ADMONITIONS } from '../rules/admonition-kinds.ts';
import { type Element, hasExactly, isElement, type Node, segments } from '../tree.ts';
import { codeBlock } from './code.ts';
import { writeInline } from './inline.ts';
import { markerFor, writeList } from './list.ts';
import { rawBlock } from './raw.ts';
import { writeTable } from './table.ts';

export interface BlockOptions {
  readonly footnotes: ReadonlySet<string>;
  /** How many lists and quotations are around. */
  readonly depth: number;
}

export function writeBlocks(children: readonly Node[], options: BlockOptions): string[] {
  let marker: string | undefined;
  return segments(children).map((segment) => {
    if (Array.isArray(segment)) {
      marker = undefined;
      return writeText(segment, options);
    }
    const isList = segment.name === 'ul' || segment.name === 'ol';
    marker = isList ? markerFor(segment, marker) : undefined;
    return writeBlock(segment, marker, options) ?? rawBlock(segment, options.depth > 0);
  });
}

function writeText(nodes: readonly Node[], options: BlockOptions): string {
  const formulas = onlyDisplayMath(nodes);
  if (!formulas) return writeInline(nodes, options);
  return formulas.map((node) => writeFormula(node, options)).join('\n\n');
}

function writeFormula(node: Node, options: BlockOptions): string {
  const tex = readMath(node)?.tex ?? '';
  return tex.includes('\n') && !tex.includes('$') ? `$$${tex}$$` : writeInline([node], options);
}

/** Every level writes its lines anew, and nobody reads what is this deep. */
const MAX_DEPTH = 20;

export function deeper(options: BlockOptions): BlockOptions {
  return { ...options, depth: options.depth + 1 };
}

function writeBlock(node: Element, marker: string | undefined, options: BlockOptions): string | undefined {
  if (options.depth > MAX_DEPTH) return undefined;
  if (marker !== undefined) return writeList(node, marker, options, writeBlocks);
  if (node.name === 'pre') return codeBlock(node);
  if (node.name === 'figure') return writeTable(node, options);
  if (node.name === 'aside') return writeAdmonition(node, options);
  if (node.name === 'section') return writeFootnotes(node, options);
  if (node.attributes.size > 0) return undefined;
  // Below a line of text, dashes would make a heading of it.
  if (node.name === 'hr') return options.depth > 0 ? '***' : '---';
  if (node.name === 'p') return writeText(node.children, options) || undefined;
  if (node.name === 'blockquote') return quoted(writeBlocks(node.children, deeper(options)));
  return /^h[2-6]$/.test(node.name) ? writeHeading(node, options) : undefined;
}

function writeHeading(node: Element, options: BlockOptions): string {
  const text = writeInline(node.children, { ...options, oneLine: true });
  // Number signs at the end would be taken for the heading's own.
  return `${'#'.repeat(Number(node.name[1]))} ${text.replace(/#$/, '\\#')}`.trimEnd();
}

function writeAdmonition(node: Element, options: BlockOptions): string | undefined {
  const kind = ADMONITIONS.find((name) => hasExactly(node, { class: `admonition ${name}` }));
  if (kind === undefined) return undefined;
  const blocks = writeBlocks(node.children, deeper(options));
  const [first, ...others] = blocks;
  const startsWithText = isElement(node.children[0], 'p');
  const head = `[!${kind.toUpperCase()}]`;
  return quoted(first !== undefined && startsWithText ? [`${head}\n${first}`, ...others] : [head, ...blocks]);
}

function quoted(blocks: readonly string[]): string {
  const lines = blocks.join('\n\n').split('\n');
  return lines.map((line) => `> ${line}`).join('\n');
}

function writeFootnotes(section: Element, options: BlockOptions): string | undefined {
  const items = itemsOfSection(section);
  if (!items?.every(({ label }) => options.footnotes.has(label))) return undefined;
  return items
    .map(({ label, children }) => {
      const blocks = writeBlocks(children, deeper(options)).join('\n\n');
      return `[^${label}]: ${blocks.replace(/\n(?!\n|$)/g, '\n    ')}`.trimEnd();
    })
    .join('\n');
}
