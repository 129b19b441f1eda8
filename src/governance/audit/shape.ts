/** What arguments look like, without what they say: names and types, of a bounded size. */

const MAX_NAMES = 40;
const MAX_DEPTH = 4;
/** A name like any in a schema. Others may be values themselves, as in a map by address. */
const PLAIN_NAME = /^[A-Za-z_$][\w$.-]{0,39}$/;
const HAS_LONG_NUMBER = /\d{5}/;

export type Shape = string | { readonly [name: string]: Shape };

export function shapeOf(value: unknown, depth = 0): Shape {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'object') return typeof value;
  if (depth >= MAX_DEPTH) return 'object';
  const entries = Object.entries(value);
  const shown = entries.slice(0, MAX_NAMES).map(([name, item]) => [nameOf(name), shapeOf(item, depth + 1)]);
  const left = entries.length - shown.length;
  return Object.fromEntries(left > 0 ? [...shown, ['…', `${left} more`]] : shown);
}

function nameOf(name: string): string {
  return PLAIN_NAME.test(name) && !HAS_LONG_NUMBER.test(name) ? name : '<name>';
}
