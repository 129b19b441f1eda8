/** How values of frontmatter compare: numbers as numbers, days as days, texts whatever their letter case. */

const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** Negative, zero or positive; undefined for values that have no order. */
export function compareValues(a: unknown, b: unknown): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (typeof a === 'string' && typeof b === 'string') {
    if (DATE.test(a) && DATE.test(b)) return compareDates(dateKeyOf(a), dateKeyOf(b));
    return compareTexts(a, b);
  }
  if (typeof a === 'number' && typeof b === 'string') return isNumeral(b) ? a - Number(b) : undefined;
  if (typeof a === 'string' && typeof b === 'number') return isNumeral(a) ? Number(a) - b : undefined;
  return undefined;
}

export function equalValues(a: unknown, b: unknown): boolean {
  return compareValues(a, b) === 0 || (isScalar(a) && isScalar(b) && textOf(a) === textOf(b));
}

/** Whether a value is equal to one that very many are compared with. */
export function equalTo(wanted: unknown): (value: unknown) => boolean {
  if (typeof wanted !== 'string' || DATE.test(wanted)) return (value) => equalValues(value, wanted);
  const text = textOf(wanted);
  return (value) => (typeof value === 'string' ? textOf(value) === text : equalValues(value, wanted));
}

/** Compares values with one that very many are compared with, as `compareValues` does. */
export function comparedWith(limit: unknown): (value: unknown) => number | undefined {
  if (typeof limit !== 'string') return (value) => compareValues(value, limit);
  const text = textOf(limit);
  const date = DATE.test(limit) ? dateKeyOf(limit) : undefined;
  const compareDate = (value: string, other: DateKey) =>
    other.moment === undefined
      ? ascending(value.slice(0, 10), other.day)
      : compareDates(dateKeyOf(value), other);
  return (value) => {
    if (typeof value !== 'string') return compareValues(value, limit);
    return date && DATE.test(value) ? compareDate(value, date) : ascending(textOf(value), text);
  };
}

/** A value as a list is sorted by it. Made once per value, because each is compared many times. */
export interface OrderKey {
  readonly value: unknown;
  readonly isMissing: boolean;
  readonly date: DateKey | undefined;
  /** A text that is no date and no numeral: what it is compared as. */
  readonly text: string | undefined;
}

export function orderKeyOf(given: unknown): OrderKey {
  const value: unknown = Array.isArray(given) ? given[0] : given;
  const isMissing = value === undefined || value === null;
  const date = typeof value === 'string' && DATE.test(value) ? dateKeyOf(value) : undefined;
  const isText = typeof value === 'string' && !date && !isNumeral(value);
  return { value, isMissing, date, text: isText ? textOf(value) : undefined };
}

/** For lists in an order: what has none comes last. */
export function compareKeys(a: OrderKey, b: OrderKey): number {
  if (a.isMissing || b.isMissing) return Number(a.isMissing) - Number(b.isMissing);
  if (a.text !== undefined && b.text !== undefined) return ascending(a.text, b.text);
  if (a.date && b.date) return compareDates(a.date, b.date);
  return compareValues(a.value, b.value) ?? compareTexts(String(a.value), String(b.value));
}

export function orderOf(a: unknown, b: unknown): number {
  return compareKeys(orderKeyOf(a), orderKeyOf(b));
}

export function textOf(value: unknown): string {
  const text = String(value).toLowerCase();
  // Most texts need no normalizing, and it takes longer than the rest of a comparison.
  return /^[\u0000-\u007f]*$/.test(text) ? text : text.normalize('NFC');
}

interface DateKey {
  readonly day: string;
  /** Milliseconds since 1970; undefined for a day. */
  readonly moment: number | undefined;
}

function dateKeyOf(date: string): DateKey {
  const moment = date.length === 10 ? undefined : Date.parse(date.replace(' ', 'T'));
  return { day: date.slice(0, 10), moment };
}

/** A day against a moment of it: the same. */
function compareDates(a: DateKey, b: DateKey): number {
  return a.moment === undefined || b.moment === undefined ? ascending(a.day, b.day) : a.moment - b.moment;
}

function compareTexts(a: string, b: string): number {
  return ascending(textOf(a), textOf(b));
}

function ascending(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isNumeral(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text.trim());
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
