/** Writes blocks as markdown; blocks without a markdown form stay HTML. */
import {
  type Element,
  hasExactly,
  isBlock,
  isElement,
  type Node,
  segments,
  withChildren,
} from '../elements.ts';
import { itemsOfSection } from '../footnotes.ts';
import { ADMONITIONS } from '../rules/admonitions.ts';
import { onlyDisplayMath, readMath } from '../rules/formulas.ts';
import { serialize } from '../serialize.ts';
import { codeBlock } from './escape.ts';
import { type InlineOptions, writeInline } from './inline.ts';

interface ListKind {
  readonly isTodo: boolean;
  readonly first: number | undefined;
}

/** A list directly after another of its kind needs another marker, or the two would merge. */
function markerFor(list: Element, previous: string | undefined): string {
  const isTodo = list.attributes.get('class') === 'todo-list';
  const [usual, other] = list.name === 'ol' ? ['.', ')'] : [isTodo ? '-' : '*', '+'];
  return previous === usual ? other! : usual!;
}

function writeList(list: Element, marker: string, options: BlockOptions): string | undefined {
  const kind = kindOf(list);
  const items = list.children.filter((child): child is Element => isElement(child, 'li'));
  if (!kind || items.length === 0 || items.length < list.children.length) return undefined;
  if (items.some((item) => item.attributes.size > 0)) return undefined;
  if (isOnlyParagraph(items)) return undefined;
  const itemBlocks = (children: readonly Node[]) => writeBlocks(children, deeper(options));
  const isLoose = items.some((item) => item.children.some((child) => isElement(child, 'p')));
  const written = items.map((item, index) => {
    const lead = kind.first === undefined ? marker : `${kind.first + index}${marker}`;
    const task = kind.isTodo ? taskOf(item) : undefined;
    const blocks = task
      ? [`${task.box} ${writeInline(task.text, options)}`, ...itemBlocks(task.rest)]
      : itemBlocks(item.children);
    return indented(`${lead}${kind.isTodo ? ' ' : GAPS[list.name]}`, blocks.join(isLoose ? '\n\n' : '\n'));
  });
  return written.join(isLoose ? '\n\n' : '\n');
}

/** In markdown, a list item contains a paragraph only if its list is loose. */
function isOnlyParagraph([item, ...others]: readonly Element[]): boolean {
  return others.length === 0 && item?.children.length === 1 && isElement(item.children[0], 'p');
}

const GAPS: Readonly<Record<string, string>> = { ul: '   ', ol: '  ' };

function kindOf(list: Element): ListKind | undefined {
  if (list.name === 'ul') {
    const isTodo = hasExactly(list, { class: 'todo-list' });
    return isTodo || hasExactly(list, {}) ? { isTodo, first: undefined } : undefined;
  }
  const start = list.attributes.get('start');
  if (list.attributes.size > (start === undefined ? 0 : 1)) return undefined;
  if (start !== undefined && (!/^\d{1,8}$/.test(start) || start === '1')) return undefined;
  return { isTodo: false, first: Number(start ?? 1) };
}

interface Task {
  readonly box: string;
  readonly text: readonly Node[];
  readonly rest: readonly Node[];
}

function taskOf(item: Element): Task | undefined {
  const [label, ...rest] = item.children;
  if (!isElement(label, 'label') || !hasExactly(label, { class: 'todo-list__label' })) return undefined;
  const [box, description, ...others] = label.children;
  if (!isElement(box, 'input') || !isElement(description, 'span') || others.length > 0) return undefined;
  if (!hasExactly(description, { class: 'todo-list__label__description' })) return undefined;
  if (description.children.length === 0 || rest.some((node) => segments([node]).some(Array.isArray)))
    return undefined;
  return { box: box.attributes.has('checked') ? '[x]' : '[ ]', text: description.children, rest };
}

function indented(lead: string, text: string): string {
  const indent = ' '.repeat(lead.length);
  const [first = '', ...lines] = text.split('\n');
  return [
    first === '' ? lead.trimEnd() : lead + first,
    ...lines.map((line) => (line === '' ? '' : indent + line)),
  ].join('\n');
}

/**
 * HTML that a markdown parser takes as one block: an empty line would end it, and a line of dashes would start a
 * table.
 */
export function rawBlock(node: Element, isNested: boolean): string {
  const html = serialize([node]);
  // Inside lists and quotations every line gets a prefix, which would become part of preformatted text.
  return isNested ? html.replaceAll('\n', '&#10;') : html.replace(/\n(?=[-:| \t]*(?:\n|$))/g, '&#10;');
}

const RULERS: Readonly<Record<string, string>> = { left: ':---', center: ':---:', right: '---:', '': '---' };

/** Tables with one header row and single-line cells; all others stay HTML. */
export function writeTable(figure: Element, options: InlineOptions): string | undefined {
  const [table, ...others] = figure.children;
  if (!hasExactly(figure, { class: 'table' }) || others.length > 0 || !isPlain(table, 'table'))
    return undefined;
  const [head, body, ...more] = table.children;
  if (!isPlain(head, 'thead') || more.length > 0 || head.children.length !== 1) return undefined;
  if (body !== undefined && !isPlain(body, 'tbody')) return undefined;
  const inCells = { ...options, oneLine: true };
  const rows = [...head.children, ...(body?.children ?? [])].map((row) => cellsOf(row));
  const width = rows[0]?.length ?? 0;
  if (width === 0 || !rows.every((cells): cells is Element[] => cells?.length === width)) return undefined;
  const [header, ...lines] = rows.map((cells) => row(cells.map((cell) => writeCell(cell, inCells))));
  const rulers = rows[0]!.map((cell) => RULERS[cell.attributes.get('align') ?? '']);
  if (rulers.some((ruler) => ruler === undefined)) return undefined;
  return [header, row(rulers as string[]), ...lines].join('\n');
}

/** Splits a table into tables of some rows each, all with its header; undefined if it has no more rows than that. */
export function tableInPieces(figure: Element, rowsOfAPiece: number): Element[] | undefined {
  const [table, ...others] = figure.children;
  if (!isPlain(table, 'table') || others.length > 0) return undefined;
  const [head, body, ...more] = table.children;
  if (!isPlain(head, 'thead') || !isPlain(body, 'tbody') || more.length > 0) return undefined;
  if (body.children.length <= rowsOfAPiece) return undefined;
  const pieces: Element[] = [];
  for (let start = 0; start < body.children.length; start += rowsOfAPiece) {
    const rows = withChildren(body, body.children.slice(start, start + rowsOfAPiece));
    pieces.push(withChildren(figure, [withChildren(table, [head, rows])]));
  }
  return pieces;
}

/** The lines of a written table below its header. */
export function rowLines(markdown: string): string {
  const header = markdown.indexOf('\n');
  return markdown.slice(markdown.indexOf('\n', header + 1) + 1);
}

function isPlain(node: Element['children'][number] | undefined, name: string): node is Element {
  return isElement(node, name) && node.attributes.size === 0;
}

function cellsOf(node: Element['children'][number]): Element[] | undefined {
  if (!isPlain(node, 'tr')) return undefined;
  const cells = node.children.filter(
    (cell): cell is Element => isElement(cell) && !cell.children.some(isBlock),
  );
  const areSimple = cells.every(
    ({ attributes }) => attributes.size === 0 || (attributes.size === 1 && attributes.has('align')),
  );
  return areSimple && cells.length === node.children.length ? cells : undefined;
}

function writeCell(cell: Element, options: InlineOptions): string {
  const text = writeInline(cell.children, options);
  return text.includes('|') ? text.replaceAll('|', '\\|') : text;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

interface BlockOptions {
  readonly footnotes: ReadonlySet<string>;
  /** Number of enclosing lists and quotations. */
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

/** Deeper blocks stay HTML, because every level rewrites all lines below it. */
const MAX_DEPTH = 20;

function deeper(options: BlockOptions): BlockOptions {
  return { ...options, depth: options.depth + 1 };
}

function writeBlock(node: Element, marker: string | undefined, options: BlockOptions): string | undefined {
  if (options.depth > MAX_DEPTH) return undefined;
  if (marker !== undefined) return writeList(node, marker, options);
  if (node.name === 'pre') return codeBlock(node);
  if (node.name === 'figure') return writeTable(node, options);
  if (node.name === 'aside') return writeAdmonition(node, options);
  if (node.name === 'section') return writeFootnotes(node, options);
  if (node.attributes.size > 0) return undefined;
  // Dashes below a line of text would make it a heading.
  if (node.name === 'hr') return options.depth > 0 ? '***' : '---';
  if (node.name === 'p') return writeText(node.children, options) || undefined;
  if (node.name === 'blockquote') return quoted(writeBlocks(node.children, deeper(options)));
  return /^h[2-6]$/.test(node.name) ? writeHeading(node, options) : undefined;
}

function writeHeading(node: Element, options: BlockOptions): string {
  const text = writeInline(node.children, { ...options, oneLine: true });
  // A trailing number sign would be read as the closing sequence of the heading.
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
