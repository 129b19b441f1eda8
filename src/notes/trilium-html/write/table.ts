/** Tables of one header row and cells of one line; all others stay HTML. */
import { type Element, hasExactly, isBlock, isElement } from '../tree.ts';
import { type InlineOptions, writeInline } from './inline.ts';

const RULERS: Readonly<Record<string, string>> = { left: ':---', center: ':---:', right: '---:', '': '---' };

export function writeTable(figure: Element, options: InlineOptions): string | undefined {
  const [table, ...others] = figure.children;
  if (!hasExactly(figure, { class: 'table' }) || others.length > 0 || !isPlain(table, 'table'))
    return undefined;
  const [head, body, ...more] = table.children;
  if (!isPlain(head, 'thead') || more.length > 0 || head.children.length !== 1) return undefined;
  if (body !== undefined && !isPlain(body, 'tbody')) return undefined;
  const rows = [...head.children, ...(body?.children ?? [])].map((row) => cellsOf(row));
  const width = rows[0]?.length ?? 0;
  if (width === 0 || !rows.every((cells): cells is Element[] => cells?.length === width)) return undefined;
  const [header, ...lines] = rows.map((cells) => row(cells.map((cell) => writeCell(cell, options))));
  const rulers = rows[0]!.map((cell) => RULERS[cell.attributes.get('align') ?? '']);
  if (rulers.some((ruler) => ruler === undefined)) return undefined;
  return [header, row(rulers as string[]), ...lines].join('\n');
}

function isPlain(node: Element['children'][number] | undefined, name: string): node is Element {
  return isElement(node, name) && node.attributes.size === 0;
}

function cellsOf(node: Element['children'][number]): Element[] | undefined {
  if (!isPlain(node, 'tr')) return undefined;
  const cells = node.children.filter(
    (cell): cell is Element => isElement(cell) && !cell.children.some(isBlock),
  );
  const areSimple = cells.every(({ attributes }) => [...attributes.keys()].every((name) => name === 'align'));
  return areSimple && cells.length === node.children.length ? cells : undefined;
}

function writeCell(cell: Element, options: InlineOptions): string {
  return writeInline(cell.children, { ...options, oneLine: true }).replaceAll('|', '\\|');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
