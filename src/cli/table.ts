/**
 * Tables that fit the terminal: cells are wrapped between words, and cut only when they are very long. A cell is printable
 * text without runs of spaces, and further lines of a first cell are indented, so that foreign text cannot imitate a row
 * or a column.
 */
import { memoize } from '../shared/memoize.ts';
import { printable } from '../shared/printable.ts';

const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];
const PLAIN = /^[\x20-\x7e]*$/;
const EMOJI = /\p{Emoji_Presentation}|\ufe0f|\p{Regional_Indicator}|\u20e3/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;

const segmenter = memoize(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));

/** Display width in terminal columns, overestimated in doubt, so that no line wraps. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter().segment(text)) width += widthOfGrapheme(segment);
  return width;
}

/** Cuts to `width` columns, ending in … when something is missing. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  let taken = '';
  let left = width - 1;
  for (const { segment } of segmenter().segment(text)) {
    left -= widthOfGrapheme(segment);
    if (left < 0) break;
    taken += segment;
  }
  return `${taken.trimEnd()}…`;
}

/** Wraps to `width` columns, between words where possible. */
export function wrapTo(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => pieces(one, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

function pieces(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word];
  const parts: string[] = [];
  let part = '';
  for (const { segment } of segmenter().segment(word)) {
    if (part !== '' && widthOf(part + segment) > width) {
      parts.push(part);
      part = '';
    }
    part += segment;
  }
  return [...parts, part];
}

function widthOfGrapheme(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  let width = 0;
  for (const letter of grapheme) width += widthOfLetter(letter);
  return width;
}

function widthOfLetter(letter: string): number {
  if (NO_WIDTH.test(letter)) return 0;
  const code = letter.codePointAt(0) ?? 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Minimum width while other columns can still shrink. */
  readonly min?: number;
  /** Columns of higher priority keep their width and place longer; the highest is never hidden. */
  readonly priority: number;
  readonly align?: 'right';
}

export interface View {
  /** Width of the terminal in columns. */
  readonly width: number;
  readonly color: boolean;
}

interface Table {
  readonly lines: readonly string[];
  /** The lines of each row, without the head. */
  readonly rows: readonly (readonly string[])[];
  /** Titles of the hidden columns. */
  readonly hidden: readonly string[];
}

/** Width assumed when the terminal does not report one. */
export const USUAL_WIDTH = 80;
const GAP = '  ';
const USUAL_MIN = 4;
/** On a terminal, cells are cut to this length. */
const MAX_CELL = 1_000;
/** A column is not made narrower than its longest word, up to this width, while another one can be. */
const MAX_WORD = 24;
/** So many columns are shown even if words have to be broken. */
const FEW = 3;
const INDENT = '  ';

interface TableLayout<Row> {
  readonly column: Column<Row>;
  readonly cells: readonly string[];
  readonly min: number;
  /** Width of the longest word. */
  readonly word: number;
  width: number;
}

export function tableOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[], view: View): Table {
  const maxCell = Number.isFinite(view.width) ? MAX_CELL : Number.POSITIVE_INFINITY;
  const all = columns.map((column) => layOut(column, rows, maxCell));
  const shown = fitColumns(all, view.width);
  shrink(shown, view.width);
  const line = (cellOf: (one: TableLayout<Row>) => string) =>
    shown
      .map((one) => padCell(cutTo(cellOf(one), one.width), one))
      .join(GAP)
      .trimEnd();
  const head = line(({ column }) => column.title);
  const rowLines = rows.map((_, at) => {
    const cells = shown.map((one, place) => cellLines(one.cells[at] ?? '', one.width, place === 0));
    const height = Math.max(...cells.map(({ length }) => length));
    return Array.from({ length: height }, (__, below) =>
      line((one) => cells[shown.indexOf(one)]?.[below] ?? ''),
    );
  });
  return {
    lines: [view.color ? `\u001b[1m${head}\u001b[22m` : head, ...rowLines.flat()],
    rows: rowLines,
    hidden: all.filter((one) => !shown.includes(one)).map(({ column }) => column.title),
  };
}

function cellLines(text: string, width: number, isFirst: boolean): string[] {
  if (widthOf(text) <= width) return [text];
  if (!isFirst) return wrapTo(text, width);
  const [first = ''] = wrapTo(text, width);
  const rest = wrapTo(text.slice(first.length).trimStart(), Math.max(1, width - INDENT.length));
  return [first, ...rest.map((line) => INDENT + line)];
}

/** A labelled value. Continuation lines are indented, so that they cannot be mistaken for another label. */
export function factLines(
  name: string,
  text: string,
  { width }: Pick<View, 'width'>,
  indent: number,
): string[] {
  const [first = '', ...rest] = wrapTo(printable(text), Math.max(10, width - indent));
  return [name.padEnd(indent) + first, ...rest.map((line) => ' '.repeat(indent) + line)];
}

function layOut<Row>(column: Column<Row>, rows: readonly Row[], maxCell: number): TableLayout<Row> {
  const cells = rows.map((row) => printable(column.value(row), maxCell) || '-');
  const title = widthOf(column.title);
  const widest = cells.reduce((most, cell) => Math.max(most, widthOf(cell)), title);
  const longest = cells.reduce(
    (most, cell) => cell.split(' ').reduce((so, word) => Math.max(so, widthOf(word)), most),
    title,
  );
  const min = Math.min(widest, column.min ?? USUAL_MIN);
  return { column, cells, width: widest, min, word: Math.max(min, Math.min(longest, MAX_WORD)) };
}

/** The columns that fit in their own order: without broken words while there are several, else at their minimum widths. */
function fitColumns<Row>(all: readonly TableLayout<Row>[], width: number): TableLayout<Row>[] {
  const shown = [...all];
  while (shown.length > FEW && total(shown, ({ word }) => word) > width)
    shown.splice(shown.indexOf(leastOf(shown)), 1);
  while (shown.length > 1 && total(shown, ({ min }) => min) > width)
    shown.splice(shown.indexOf(leastOf(shown)), 1);
  return shown;
}

/** Takes room from the widest columns: first as far as no word is broken, then down to their minimum. */
function shrink<Row>(shown: readonly TableLayout<Row>[], width: number): void {
  for (const floor of ['word', 'min'] as const) {
    let tooMuch = total(shown, (one) => one.width) - width;
    while (tooMuch > 0) {
      const able = shown.filter((one) => one.width > one[floor]);
      const widest = able.reduce<TableLayout<Row> | undefined>(
        (most, one) => (most && isRather(most, one) ? most : one),
        undefined,
      );
      if (!widest) break;
      widest.width--;
      tooMuch--;
    }
  }
  const [only] = shown;
  // A single column left, wider than the terminal.
  if (shown.length === 1 && only) only.width = Math.min(only.width, Math.max(1, width));
}

/** The wider one shrinks; of two alike the less important one. */
function isRather<Row>(a: TableLayout<Row>, b: TableLayout<Row>): boolean {
  return a.width === b.width ? a.column.priority < b.column.priority : a.width > b.width;
}

function leastOf<Row>(shown: readonly TableLayout<Row>[]): TableLayout<Row> {
  return shown.reduce((least, one) => (one.column.priority < least.column.priority ? one : least));
}

function total<Row>(shown: readonly TableLayout<Row>[], widthIn: (one: TableLayout<Row>) => number): number {
  return shown.reduce((sum, one) => sum + widthIn(one), GAP.length * Math.max(0, shown.length - 1));
}

function padCell<Row>(text: string, { column, width }: TableLayout<Row>): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return column.align === 'right' ? space + text : text + space;
}
