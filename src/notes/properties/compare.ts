/** How values of frontmatter compare: numbers as numbers, days as days, texts whatever their letter case. */

const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** Negative, zero or positive; undefined for values that have no order. */
export function compareValues(a: unknown, b: unknown): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (typeof a === 'string' && typeof b === 'string') {
    if (DATE.test(a) && DATE.test(b)) return compareDates(a, b);
    return compareTexts(a, b);
  }
  if (typeof a === 'number' && typeof b === 'string') return isNumeral(b) ? a - Number(b) : undefined;
  if (typeof a === 'string' && typeof b === 'number') return isNumeral(a) ? Number(a) - b : undefined;
  return undefined;
}

export function equalValues(a: unknown, b: unknown): boolean {
  return compareValues(a, b) === 0 || (isScalar(a) && isScalar(b) && textOf(a) === textOf(b));
}

/** For lists in an order: what has none comes last. */
export function orderOf(a: unknown, b: unknown): number {
  const [first, second] = [Array.isArray(a) ? a[0] : a, Array.isArray(b) ? b[0] : b];
  const isMissing = (value: unknown) => value === undefined || value === null;
  if (isMissing(first) || isMissing(second)) return Number(isMissing(first)) - Number(isMissing(second));
  return compareValues(first, second) ?? compareTexts(String(first), String(second));
}

export function textOf(value: unknown): string {
  const text = String(value).toLowerCase();
  // Most texts need no normalizing, and it takes longer than the rest of a comparison.
  return /^[\u0000-\u007f]*$/.test(text) ? text : text.normalize('NFC');
}

/** A day against a moment of it: the same. */
function compareDates(a: string, b: string): number {
  if (a.length === 10 || b.length === 10) return compareTexts(a.slice(0, 10), b.slice(0, 10));
  return Date.parse(a.replace(' ', 'T')) - Date.parse(b.replace(' ', 'T'));
}

function compareTexts(a: string, b: string): number {
  const [first, second] = [textOf(a), textOf(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function isNumeral(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text.trim());
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
