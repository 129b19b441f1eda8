/** The documented functions of Bases on values, by the type of the value. */
import { isRecord } from '../../shared/records.ts';
import { ExpressionProblem } from './expression.ts';
import { DateValue, dateText, formatDate, type TypeName, timeText, toText, typeOf } from './values.ts';

type Method = (self: never, args: readonly unknown[], equals: (a: unknown, b: unknown) => boolean) => unknown;

export const LONGEST_TEXT = 100_000;

const STRING: Readonly<Record<string, Method>> = {
  contains: (self: string, [part]) => self.includes(toText(part)),
  containsAll: (self: string, parts) => parts.every((part) => self.includes(toText(part))),
  containsAny: (self: string, parts) => parts.some((part) => self.includes(toText(part))),
  startsWith: (self: string, [part]) => self.startsWith(toText(part)),
  endsWith: (self: string, [part]) => self.endsWith(toText(part)),
  isEmpty: (self: string) => self === '',
  lower: (self: string) => self.toLowerCase(),
  title: (self: string) =>
    self.replace(/(^|\s)(\S)/gu, (_, gap: string, char: string) => gap + char.toUpperCase()),
  trim: (self: string) => self.trim(),
  reverse: (self: string) => [...self].reverse().join(''),
  repeat: (self: string, [count]) => {
    const times = numberOf(count);
    if (times < 0 || times * self.length > LONGEST_TEXT) throw new ExpressionProblem('makes too long a text');
    return self.repeat(times);
  },
  replace: (self: string, [from, to]) => {
    const result = self.split(toText(from)).join(toText(to));
    if (result.length > LONGEST_TEXT) throw new ExpressionProblem('makes too long a text');
    return result;
  },
  slice: (self: string, [start, end]) =>
    self.slice(numberOf(start), end === undefined ? undefined : numberOf(end)),
  split: (self: string, [separator, most]) =>
    self.split(toText(separator)).slice(0, most === undefined ? undefined : numberOf(most)),
};

const NUMBER: Readonly<Record<string, Method>> = {
  abs: (self: number) => Math.abs(self),
  ceil: (self: number) => Math.ceil(self),
  floor: (self: number) => Math.floor(self),
  isEmpty: () => false,
  round: (self: number, [digits]) => {
    const factor = 10 ** (digits === undefined ? 0 : digitsOf(digits));
    return Math.round(self * factor) / factor;
  },
  toFixed: (self: number, [digits]) => self.toFixed(digits === undefined ? 0 : digitsOf(digits)),
};

const LIST: Readonly<Record<string, Method>> = {
  contains: (self: unknown[], [one], equals) => self.some((item) => equals(item, one)),
  containsAll: (self: unknown[], all, equals) => all.every((one) => self.some((item) => equals(item, one))),
  containsAny: (self: unknown[], all, equals) => all.some((one) => self.some((item) => equals(item, one))),
  flat: (self: unknown[]) => self.flat(),
  isEmpty: (self: unknown[]) => self.length === 0,
  join: (self: unknown[], [separator]) => self.map(toText).join(toText(separator)),
  reverse: (self: unknown[]) => self.toReversed(),
  slice: (self: unknown[], [start, end]) =>
    self.slice(numberOf(start), end === undefined ? undefined : numberOf(end)),
  sort: (self: unknown[]) => self.toSorted((a, b) => compare(a, b) ?? (toText(a) < toText(b) ? -1 : 1)),
  unique: (self: unknown[], _, equals) =>
    self.filter((item, at) => self.findIndex((other) => equals(item, other)) === at),
};

const DATE: Readonly<Record<string, Method>> = {
  date: (self: DateValue) => new DateValue(new Date(self.ms).setHours(0, 0, 0, 0), false),
  format: (self: DateValue, [format]) => formatDate(self, toText(format)),
  time: (self: DateValue) => timeText(self.ms),
  isEmpty: () => false,
};

const OBJECT: Readonly<Record<string, Method>> = {
  isEmpty: (self: object) => Object.keys(self).length === 0,
  keys: (self: object) => Object.keys(self),
  values: (self: object) => Object.values(self),
};

const ANY: Readonly<Record<string, Method>> = {
  isTruthy: (self: unknown) => isTruthy(self),
  isType: (self: unknown, [name]) => typeOf(self) === name,
  toString: (self: unknown) => toText(self),
};

const METHODS: Readonly<Partial<Record<TypeName, Readonly<Record<string, Method>>>>> = {
  string: STRING,
  number: NUMBER,
  list: LIST,
  date: DATE,
  object: OBJECT,
  null: { isEmpty: () => true },
};

/** Of all types; those of files and links, and those with an expression of their own, are known to the evaluator. */
export const METHOD_NAMES: ReadonlySet<string> = new Set(
  [...Object.values(METHODS), ANY].flatMap((methods) => Object.keys(methods)),
);

export function callMethod(
  self: unknown,
  name: string,
  args: readonly unknown[],
  equals: (a: unknown, b: unknown) => boolean,
): unknown {
  const own = METHODS[typeOf(self)] ?? {};
  const method = Object.hasOwn(own, name) ? own[name] : Object.hasOwn(ANY, name) ? ANY[name] : undefined;
  if (!method) throw new ExpressionProblem(`calls ${name}() of a value of type ${typeOf(self)}`);
  return method(self as never, args, equals);
}

const DATE_FIELDS: Readonly<Record<string, (date: Date) => number>> = {
  year: (date) => date.getFullYear(),
  month: (date) => date.getMonth() + 1,
  day: (date) => date.getDate(),
  hour: (date) => date.getHours(),
  minute: (date) => date.getMinutes(),
  second: (date) => date.getSeconds(),
  millisecond: (date) => date.getMilliseconds(),
};

/** `value.name`; nothing where there is no such field. */
export function memberOf(value: unknown, name: string): unknown {
  if (value instanceof DateValue && Object.hasOwn(DATE_FIELDS, name))
    return DATE_FIELDS[name]!(new Date(value.ms));
  if ((typeof value === 'string' || Array.isArray(value)) && name === 'length') return value.length;
  return isRecord(value) && typeOf(value) === 'object' && Object.hasOwn(value, name) ? value[name] : null;
}

export function isTruthy(value: unknown): boolean {
  return Boolean(value);
}

/** Undefined for values that have no order. */
export function compare(a: unknown, b: unknown): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a instanceof DateValue && b instanceof DateValue) return a.ms - b.ms;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  return undefined;
}

export function numberOf(value: unknown): number {
  const number =
    value instanceof DateValue
      ? value.ms
      : typeof value === 'string' && value.trim() === ''
        ? Number.NaN
        : Number(value);
  if (typeOf(value) === 'null' || Number.isNaN(number))
    throw new ExpressionProblem(`needs a number instead of "${textOfShort(value)}"`);
  return number;
}

function digitsOf(value: unknown): number {
  const digits = numberOf(value);
  if (!Number.isInteger(digits) || digits < 0 || digits > 20)
    throw new ExpressionProblem('has a wrong number of digits');
  return digits;
}

function textOfShort(value: unknown): string {
  return (value instanceof DateValue ? dateText(value) : toText(value)).slice(0, 30);
}
