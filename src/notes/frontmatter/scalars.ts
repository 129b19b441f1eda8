/**
 * Writes one scalar on one line so that YAML 1.2 reads the same value back. Strings that YAML 1.1 readers would
 * take for something else (`yes`, `12:30`, `1_000`) are quoted too; dates stay plain, as people write them.
 */
export type Scalar = string | number | boolean | null;
export type QuoteStyle = 'single' | 'double';

export interface ScalarStyle {
  /** Quotes to put around strings, where the string allows it. */
  readonly quote?: QuoteStyle | undefined;
  /** Inside `[…]` or `{…}`, where commas and brackets end a plain string. */
  readonly flow?: boolean;
}

export function printScalar(value: Scalar, style: ScalarStyle = {}): string {
  if (typeof value === 'string') return printString(value, style);
  if (typeof value === 'number') return printNumber(value);
  return String(value);
}

export function printKey(key: string): string {
  return isPlain(key, true) ? key : quoted(key, 'double');
}

function printNumber(value: number): string {
  // A long row of digits would be read as an id and kept as text; an exponent marks it as a number.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return value.toExponential();
  return String(value);
}

function printString(value: string, { quote, flow = false }: ScalarStyle): string {
  if (quote === undefined && isPlain(value, flow)) return value;
  return quoted(value, quote);
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
