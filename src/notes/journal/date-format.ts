/**
 * Dates in the formats of note apps: those of Moment, which Obsidian uses, and those of Java, which Logseq uses. Names
 * are English. A date is a `Date` whose UTC fields are those of the wall clock.
 */
import { AppError } from '../../shared/errors.ts';

/** How weeks are counted: the day they begin with (0 for Sunday), and Moment's `doy`. */
export interface WeekRule {
  readonly dow: number;
  readonly doy: number;
}

/** Of Moment's English. */
export const ENGLISH_WEEK: WeekRule = { dow: 0, doy: 6 };
const ISO_WEEK: WeekRule = { dow: 1, doy: 4 };
const DAY_MS = 86_400_000;
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
export const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

const pad = (number: number, length = 2) => String(number).padStart(length, '0');

function ordinal(number: number): string {
  const tens = number % 100;
  const ending = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${ending}`;
}

const dayOfYear = (date: Date) =>
  Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS) + 1;

function firstWeekOffset(year: number, { dow, doy }: WeekRule): number {
  const forward = 7 + dow - doy;
  const weekday = (7 + new Date(Date.UTC(year, 0, forward)).getUTCDay() - dow) % 7;
  return -weekday + forward - 1;
}

function weeksIn(year: number, rule: WeekRule): number {
  const days = (Date.UTC(year + 1, 0, 1) - Date.UTC(year, 0, 1)) / DAY_MS;
  return (days - firstWeekOffset(year, rule) + firstWeekOffset(year + 1, rule)) / 7;
}

/** The week of a date, and the year that the week belongs to. */
export function weekOf(date: Date, rule: WeekRule): { readonly year: number; readonly week: number } {
  const year = date.getUTCFullYear();
  const week = Math.floor((dayOfYear(date) - firstWeekOffset(year, rule) - 1) / 7) + 1;
  if (week < 1) return { year: year - 1, week: week + weeksIn(year - 1, rule) };
  const last = weeksIn(year, rule);
  return week > last ? { year: year + 1, week: week - last } : { year, week };
}

type Writer = (date: Date, rule: WeekRule) => string;

const quarter = (date: Date) => Math.floor(date.getUTCMonth() / 3) + 1;
const twelve = (date: Date) => date.getUTCHours() % 12 || 12;
const weekday = (date: Date) => WEEKDAYS[date.getUTCDay()]!;
const month = (date: Date) => MONTHS[date.getUTCMonth()]!;
const iso = (date: Date) => weekOf(date, ISO_WEEK);

const MOMENT: Readonly<Record<string, Writer>> = {
  YYYY: (date) => pad(date.getUTCFullYear(), 4),
  YY: (date) => pad(date.getUTCFullYear() % 100),
  Y: (date) => String(date.getUTCFullYear()),
  gggg: (date, rule) => pad(weekOf(date, rule).year, 4),
  gg: (date, rule) => pad(weekOf(date, rule).year % 100),
  GGGG: (date) => pad(iso(date).year, 4),
  GG: (date) => pad(iso(date).year % 100),
  MMMM: month,
  MMM: (date) => month(date).slice(0, 3),
  MM: (date) => pad(date.getUTCMonth() + 1),
  Mo: (date) => ordinal(date.getUTCMonth() + 1),
  M: (date) => String(date.getUTCMonth() + 1),
  DDDD: (date) => pad(dayOfYear(date), 3),
  DDDo: (date) => ordinal(dayOfYear(date)),
  DDD: (date) => String(dayOfYear(date)),
  DD: (date) => pad(date.getUTCDate()),
  Do: (date) => ordinal(date.getUTCDate()),
  D: (date) => String(date.getUTCDate()),
  dddd: weekday,
  ddd: (date) => weekday(date).slice(0, 3),
  dd: (date) => weekday(date).slice(0, 2),
  do: (date) => ordinal(date.getUTCDay()),
  d: (date) => String(date.getUTCDay()),
  e: (date, { dow }) => String((date.getUTCDay() + 7 - dow) % 7),
  E: (date) => String(date.getUTCDay() || 7),
  ww: (date, rule) => pad(weekOf(date, rule).week),
  wo: (date, rule) => ordinal(weekOf(date, rule).week),
  w: (date, rule) => String(weekOf(date, rule).week),
  WW: (date) => pad(iso(date).week),
  Wo: (date) => ordinal(iso(date).week),
  W: (date) => String(iso(date).week),
  Qo: (date) => ordinal(quarter(date)),
  Q: (date) => String(quarter(date)),
  HH: (date) => pad(date.getUTCHours()),
  H: (date) => String(date.getUTCHours()),
  hh: (date) => pad(twelve(date)),
  h: (date) => String(twelve(date)),
  mm: (date) => pad(date.getUTCMinutes()),
  m: (date) => String(date.getUTCMinutes()),
  ss: (date) => pad(date.getUTCSeconds()),
  s: (date) => String(date.getUTCSeconds()),
  A: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  a: (date) => (date.getUTCHours() < 12 ? 'am' : 'pm'),
};

/** Text in brackets or behind a backslash, a token that Moment knows, or any other character. */
const MOMENT_PARTS =
  /\[([^[\]]*)\]|\\([\s\S])|(LTS?|L{1,4}|l{1,4}|Mo|M{1,4}|DDDo|Do|D{1,4}|d{1,4}o?|w[ow]?|W[oW]?|Qo?|N{1,5}|Y{1,6}|yo|y{1,4}|g{1,5}|G{1,5}|e|E|a|A|hh?|HH?|kk?|mm?|ss?|S{1,9}|x|X|zz?|ZZ?)|([\s\S])/g;

export function formatMoment(date: Date, format: string, rule: WeekRule = ENGLISH_WEEK): string {
  return format.replace(
    MOMENT_PARTS,
    (_, literal?: string, escaped?: string, token?: string, other?: string) => {
      if (token === undefined) return literal ?? escaped ?? other ?? '';
      const write = MOMENT[token];
      if (!write) throw unknownToken(token, format);
      return write(date, rule);
    },
  );
}

const JAVA: Readonly<Record<string, Writer>> = {
  yyyy: MOMENT.YYYY!,
  yy: MOMENT.YY!,
  MMMM: MOMENT.MMMM!,
  MMM: MOMENT.MMM!,
  MM: MOMENT.MM!,
  M: MOMENT.M!,
  dd: MOMENT.DD!,
  do: MOMENT.Do!,
  d: MOMENT.D!,
  EEEE: MOMENT.dddd!,
  EEE: MOMENT.ddd!,
  EE: MOMENT.ddd!,
  E: MOMENT.ddd!,
  ww: MOMENT.WW!,
  w: MOMENT.W!,
  HH: MOMENT.HH!,
  mm: MOMENT.mm!,
  ss: MOMENT.ss!,
};
const JAVA_PARTS = /'([^']*)'|(do|([A-Za-z])\3*)|([\s\S])/g;

export function formatJava(date: Date, format: string): string {
  return format.replace(
    JAVA_PARTS,
    (_, literal?: string, token?: string, _letter?: string, other?: string) => {
      if (token === undefined) return literal ?? other ?? '';
      const write = JAVA[token];
      if (!write) throw unknownToken(token, format);
      return write(date, ENGLISH_WEEK);
    },
  );
}

function unknownToken(token: string, format: string): AppError {
  return new AppError('unsupported', `The token ${token} of a date format is not known here`, {
    subject: format.slice(0, 100),
    hint: 'The format is one of the settings of the app that the notes are for.',
  });
}
