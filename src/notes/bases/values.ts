/** The values of expressions in Bases: those of JSON, dates, durations, files and links. */
import { isRecord } from '../../shared/records.ts';
import type { NotePath } from '../path.ts';
import { ExpressionProblem } from './expression.ts';

export class DateValue {
  readonly ms: number;
  readonly hasTime: boolean;
  constructor(ms: number, hasTime: boolean) {
    this.ms = ms;
    this.hasTime = hasTime;
  }
}

/** Months and years are no fixed time. */
export class DurationValue {
  readonly ms: number;
  readonly months: number;
  constructor(ms: number, months: number) {
    this.ms = ms;
    this.months = months;
  }
}

export class FileValue {
  readonly path: NotePath;
  constructor(path: NotePath) {
    this.path = path;
  }
}

export class LinkValue {
  readonly target: string;
  constructor(target: string) {
    this.target = target;
  }
}

export type TypeName =
  | 'null'
  | 'boolean'
  | 'number'
  | 'string'
  | 'date'
  | 'duration'
  | 'file'
  | 'link'
  | 'list'
  | 'object';

export function typeOf(value: unknown): TypeName {
  if (value === undefined || value === null) return 'null';
  if (value instanceof DateValue) return 'date';
  if (value instanceof DurationValue) return 'duration';
  if (value instanceof FileValue) return 'file';
  if (value instanceof LinkValue) return 'link';
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' ? 'object' : (typeof value as TypeName);
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/;
const LINK = /^\[\[([^\]|#]+)[^\]]*\]\]$/;

/** Without a zone, in that of this machine. */
export function parseDate(text: string): DateValue | undefined {
  const match = DATE.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = '0', zone] = match;
  const ms =
    zone !== undefined
      ? Date.parse(text.trim().replace(' ', 'T'))
      : new Date(
          Number(year),
          Number(month) - 1,
          Number(day),
          Number(hour ?? 0),
          Number(minute ?? 0),
          Number(second),
        ).getTime();
  return Number.isNaN(ms) ? undefined : new DateValue(ms, hour !== undefined);
}

const UNITS: readonly (readonly [RegExp, number, number])[] = [
  [/^(?:y|years?)$/, 0, 12],
  [/^(?:M|months?)$/, 0, 1],
  [/^(?:w|weeks?)$/, 7 * 86_400_000, 0],
  [/^(?:d|days?)$/, 86_400_000, 0],
  [/^(?:h|hours?)$/, 3_600_000, 0],
  [/^(?:m|minutes?)$/, 60_000, 0],
  [/^(?:s|seconds?)$/, 1_000, 0],
];

export function parseDuration(text: string): DurationValue {
  const match = /^\s*([+-]?\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*$/.exec(text);
  const unit = UNITS.find(([name]) => name.test(match?.[2] ?? ''));
  if (!match || !unit) throw new ExpressionProblem(`has "${text.slice(0, 30)}", which is no duration`);
  const count = Number(match[1]);
  return new DurationValue(count * unit[1], count * unit[2]);
}

export function shiftDate(date: DateValue, by: DurationValue, sign: 1 | -1): DateValue {
  const moved = new Date(date.ms);
  if (by.months !== 0) moved.setMonth(moved.getMonth() + sign * by.months);
  const isWholeDays = by.ms % 86_400_000 === 0;
  if (isWholeDays) moved.setDate(moved.getDate() + (sign * by.ms) / 86_400_000);
  return new DateValue(moved.getTime() + (isWholeDays ? 0 : sign * by.ms), date.hasTime || !isWholeDays);
}

/** A value of frontmatter: dates and wikilinks are recognized by their form, as Obsidian does. */
export function fromFrontmatter(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromFrontmatter);
  if (typeof value !== 'string') return value ?? null;
  const link = LINK.exec(value.trim());
  return link ? new LinkValue(link[1]!.trim()) : (parseDate(value) ?? value);
}

/** As JSON, for an answer; undefined for nothing. */
export function toJson(value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (value instanceof DateValue) return dateText(value);
  if (value instanceof DurationValue) return value.ms;
  if (value instanceof FileValue) return value.path;
  if (value instanceof LinkValue) return `[[${value.target}]]`;
  if (Array.isArray(value)) return value.map((one) => toJson(one) ?? '');
  return value;
}

export function toText(value: unknown): string {
  const json = toJson(value);
  if (json === undefined) return '';
  if (Array.isArray(json)) return json.map(toText).join(', ');
  return isRecord(json) ? JSON.stringify(json) : String(json);
}

const two = (value: number) => String(value).padStart(2, '0');

export function dateText({ ms, hasTime }: DateValue): string {
  const date = new Date(ms);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return hasTime ? `${day}T${timeText(ms)}` : day;
}

export function timeText(ms: number): string {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

const FORMATS: Readonly<Record<string, (date: Date) => string | number>> = {
  YYYY: (date) => date.getFullYear(),
  YY: (date) => two(date.getFullYear() % 100),
  MMMM: (date) => MONTHS[date.getMonth()]!,
  MMM: (date) => MONTHS[date.getMonth()]!.slice(0, 3),
  MM: (date) => two(date.getMonth() + 1),
  M: (date) => date.getMonth() + 1,
  DD: (date) => two(date.getDate()),
  D: (date) => date.getDate(),
  dddd: (date) => WEEKDAYS[date.getDay()]!,
  ddd: (date) => WEEKDAYS[date.getDay()]!.slice(0, 3),
  HH: (date) => two(date.getHours()),
  H: (date) => date.getHours(),
  hh: (date) => two(date.getHours() % 12 || 12),
  h: (date) => date.getHours() % 12 || 12,
  mm: (date) => two(date.getMinutes()),
  m: (date) => date.getMinutes(),
  ss: (date) => two(date.getSeconds()),
  s: (date) => date.getSeconds(),
  A: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  a: (date) => (date.getHours() < 12 ? 'am' : 'pm'),
};

/** The tokens of Moment.js that are listed above, and text in brackets. */
export function formatDate({ ms }: DateValue, format: string): string {
  const date = new Date(ms);
  return format.replace(/\[([^\]]*)\]|([A-Za-z])\2*/g, (token, literal: string | undefined) => {
    if (literal !== undefined) return literal;
    if (!Object.hasOwn(FORMATS, token))
      throw new ExpressionProblem(`has the date format "${token}", which is not supported`);
    return String(FORMATS[token]!(date));
  });
}
