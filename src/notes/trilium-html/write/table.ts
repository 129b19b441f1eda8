/** Tables of one header row and cells of one line; all others stay HTML. */
import { type Element, hasExactly, isBlock, isElement, withChildren } from '../tree.ts';
import { type InlineOptions, writeInline } from './inline.ts';

const RULERS: Readonly<Record<string, string>> = { left: ':---', center: ':---:', right: '---:', '': '---' };

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

/** The table cut into ones of some rows each, all with its header; undefined if it has no more rows than that. */
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
