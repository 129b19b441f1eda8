/**
 * Writes JSON values as YAML: collections in block style, text of several lines as a literal block (`|`), or all
 * of it on one line in flow style. Gives lines without line endings, so that the caller can use the note's.
 */
import { isRecord } from '../../shared/records.ts';

/** Equality of JSON values. The order of keys in a mapping does not count. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]))
  );
}

export type Scalar = string | number | boolean | null;
export type QuoteStyle = 'single' | 'double';

interface ScalarStyle {
  /** Quotes to put around strings, where the string allows it. */
  readonly quote?: QuoteStyle | undefined;
  /** Inside `[…]` or `{…}`, where commas and brackets end a plain string. */
  readonly flow?: boolean;
}

/**
 * Writes one scalar on one line so that YAML 1.2 reads the same value back. Strings that YAML 1.1 readers would
 * take for something else (`yes`, `12:30`, `1_000`) are quoted too; dates stay plain, as people write them.
 */
function printScalar(value: Scalar, { quote, flow = false }: ScalarStyle): string {
  if (typeof value === 'string')
    return quote === undefined && isPlain(value, flow) ? value : quoted(value, quote);
  // A long row of digits would be read as an id and kept as text; an exponent marks it as a number.
  const isLong = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isLong ? value.toExponential() : String(value);
}

function printKey(key: string): string {
  return isPlain(key, true) ? key : quoted(key, 'double');
}

function quoted(value: string, quote: QuoteStyle | undefined): string {
  const fitsSingle = !UNPRINTABLE.test(value);
  const preferSingle =
    quote === 'single' || (quote === undefined && /["\\]/.test(value) && !value.includes("'"));
  if (preferSingle && fitsSingle) return `'${value.replaceAll("'", "''")}'`;
  return JSON.stringify(value).replace(
    ESCAPED_BEYOND_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;
const ESCAPED_BEYOND_JSON = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

const INDICATOR_START = /^(?:[,[\]{}#&*!|>'"%@`?:]|[=~]$|-(?:[\s-]|$)|<<$|\.\.\.)/;
const READ_AS_OTHER_TYPE =
  /^(?:null|true|false|yes|no|on|off|[-+]?\.(?:inf|nan)|[-+]?(?:\.\d|\d)[\d_]*(?:\.[\d_]*)?(?:e[-+]?\d*)?|[-+]?0[xob][\da-f_]+|[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.\d*)?)$/i;

function isPlain(value: string, flow: boolean): boolean {
  return (
    value !== '' &&
    value.trim() === value &&
    !UNPRINTABLE.test(value) &&
    !INDICATOR_START.test(value) &&
    !READ_AS_OTHER_TYPE.test(value) &&
    !/:(?:\s|$)|\s#/.test(value) &&
    !(flow && /[,[\]{}]|:["']/.test(value))
  );
}

interface PrintStyle {
  readonly quote?: QuoteStyle | undefined;
  /** False where a following indented comment would become part of a literal block. */
  readonly literal?: boolean;
}

/** A value split over the line of its key and the lines below. */
export interface PrintedValue {
  /** The text after `key:`; empty for a block collection. */
  readonly head: string;
  readonly lines: readonly string[];
}

/** `column` is where the lines below the key start. */
export function printValue(value: unknown, column: number, style: PrintStyle = {}): PrintedValue {
  if (Array.isArray(value) && value.length > 0) return { head: '', lines: printItems(value, column, style) };
  if (isRecord(value) && Object.keys(value).length > 0)
    return {
      head: '',
      lines: printPairs(Object.entries(value), { column, style }),
    };
  if (typeof value === 'string' && value.includes('\n') && style.literal !== false && fitsLiteral(value))
    return printLiteral(value, column);
  if (typeof value === 'object' && value !== null) return { head: printFlow(value), lines: [] };
  return { head: printScalar(value as Scalar, { quote: style.quote }), lines: [] };
}

interface PairPlace {
  /** Where the key stands. */
  readonly column: number;
  readonly style?: PrintStyle;
  /** How far the dashes of a list stand in from the key. */
  readonly dashOffset?: number;
}

export function printPairs(pairs: readonly (readonly [string, unknown])[], place: PairPlace): string[] {
  return pairs.flatMap(([key, value]) => printPair(key, value, place));
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
  if (isRecord(value)) return `{${Object.entries(value).map(printFlowPair).join(', ')}}`;
  return printScalar(value as Scalar, { quote, flow: true });
}

export function printFlowPair([key, value]: readonly [string, unknown]): string {
  return `${printKey(key)}: ${printFlow(value)}`;
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
