/**
 * Writes JSON values as YAML: collections in block style, text of several lines as a literal block (`|`), or all
 * of it on one line in flow style. Gives lines without line endings, so that the caller can use the note's.
 */
import { isRecord } from './json.ts';
import { printKey, printScalar, type QuoteStyle, type Scalar, UNPRINTABLE } from './scalars.ts';

export interface PrintStyle {
  readonly quote?: QuoteStyle | undefined;
  /** False where a following indented comment would become part of a literal block. */
  readonly literal?: boolean;
}

/** A value split over the line of its key and the lines below. */
export interface PrintedValue {
  /** What follows `key:`; empty for a block collection. */
  readonly head: string;
  readonly lines: readonly string[];
}

/** `column` is where the lines below the key start. */
export function printValue(value: unknown, column: number, style: PrintStyle = {}): PrintedValue {
  if (Array.isArray(value) && value.length > 0) return { head: '', lines: printItems(value, column, style) };
  if (isRecord(value) && Object.keys(value).length > 0)
    return {
      head: '',
      lines: Object.entries(value).flatMap(([key, child]) => printPair(key, child, { column, style })),
    };
  if (typeof value === 'string' && value.includes('\n') && style.literal !== false && fitsLiteral(value))
    return printLiteral(value, column);
  if (typeof value === 'object' && value !== null) return { head: printFlow(value), lines: [] };
  return { head: printScalar(value as Scalar, { quote: style.quote }), lines: [] };
}

export interface PairPlace {
  /** Where the key stands. */
  readonly column: number;
  readonly style?: PrintStyle;
  /** How far the dashes of a list stand in from the key. */
  readonly dashOffset?: number;
}

export function printPair(key: string, value: unknown, place: PairPlace): string[] {
  const { column, style = {}, dashOffset = 2 } = place;
  const inner = column + (Array.isArray(value) ? dashOffset : 2);
  const { head, lines } = printValue(value, inner, style);
  return [`${' '.repeat(column)}${printKey(key)}:${head === '' ? '' : ` ${head}`}`, ...lines];
}

/** List items with their dashes at `column`; `dash` is the dash and the blanks after it. */
export function printItems(
  items: readonly unknown[],
  column: number,
  style: PrintStyle & { readonly dash?: string } = {},
): string[] {
  const { dash = '- ', ...inner } = style;
  const start = ' '.repeat(column) + dash;
  return items.flatMap((item) => {
    const { head, lines } = printValue(item, start.length, inner);
    if (head !== '') return [start + head, ...lines];
    const [first = '', ...rest] = lines;
    return [start + first.slice(start.length), ...rest];
  });
}

export function printFlow(value: unknown, quote?: QuoteStyle): string {
  if (Array.isArray(value)) return `[${value.map((item) => printFlow(item, quote)).join(', ')}]`;
  if (isRecord(value)) return `{${printFlowPairs(value)}}`;
  return printScalar(value as Scalar, { quote, flow: true });
}

export function printFlowPairs(data: Record<string, unknown>): string {
  return Object.entries(data)
    .map(([key, value]) => `${printKey(key)}: ${printFlow(value)}`)
    .join(', ');
}

/** Leading blanks would need an indentation mark and more than one trailing break would swallow blank lines. */
function fitsLiteral(text: string): boolean {
  const content = text.endsWith('\n') ? text.slice(0, -1) : text;
  const lastLine = content.slice(content.lastIndexOf('\n') + 1);
  return (
    /^[^\s]/.test(content) &&
    lastLine.trim() !== '' &&
    !UNPRINTABLE.test(text.replaceAll('\n', '').replaceAll('\t', ''))
  );
}

function printLiteral(text: string, column: number): PrintedValue {
  const clipped = text.endsWith('\n');
  const content = clipped ? text.slice(0, -1) : text;
  const pad = ' '.repeat(column);
  return {
    head: clipped ? '|' : '|-',
    lines: content.split('\n').map((line) => (line === '' ? '' : pad + line)),
  };
}
