/** Calendar arithmetic on days such as `2026-11-16`, without time zones. */
const DAY_MS = 86_400_000;

/** Undefined when there is no such day. */
export function dayOf(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  const isReal =
    year >= 1000 && year <= 9999 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? isoOf(date) : undefined;
}

export function isDay(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  return day !== undefined && dayOf(Number(year), Number(month), Number(day)) !== undefined;
}

export function dayOfTime(milliseconds: number): string | undefined {
  const date = new Date(milliseconds);
  const year = date.getUTCFullYear();
  return year >= 1000 && year <= 9999 ? isoOf(date) : undefined;
}

export function addDays(day: string, days: number): string {
  return isoOf(new Date(timeOf(day) + days * DAY_MS));
}

/** Clamped to the last day of the month. */
export function addMonths(day: string, months: number): string {
  const { year, month, date } = partsOf(day);
  const total = year * 12 + (month - 1) + months;
  const [toYear, toMonth] = [Math.floor(total / 12), (total % 12) + 1];
  return dayOf(toYear, toMonth, date) ?? endOfMonth(toYear, toMonth);
}

export function endOfMonth(year: number, month: number): string {
  return isoOf(new Date(Date.UTC(year, month, 0)));
}

/** 1 for Monday to 7 for Sunday. */
export function weekdayOf(day: string): number {
  return new Date(timeOf(day)).getUTCDay() || 7;
}

/** The given weekday of the week `weeks` after that of `day`. */
export function weekdayIn(day: string, weeks: number, weekday: number): string {
  return addDays(day, weeks * 7 + weekday - weekdayOf(day));
}

export function dayOfIsoWeek(year: number, week: number, weekday: number): string | undefined {
  const first = dayOf(year, 1, 4);
  if (first === undefined || week < 1 || week > 53) return undefined;
  return weekdayIn(first, week - 1, weekday);
}

export function daysBetween(from: string, to: string): number {
  return Math.round((timeOf(to) - timeOf(from)) / DAY_MS);
}

export function partsOf(day: string): { year: number; month: number; date: number } {
  return { year: Number(day.slice(0, 4)), month: Number(day.slice(5, 7)), date: Number(day.slice(8, 10)) };
}

function timeOf(day: string): number {
  const { year, month, date } = partsOf(day);
  return Date.UTC(year, month - 1, date);
}

function isoOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** 1 for the words of the first row; each word also without its accents. */
function numbered(...rows: readonly string[]): ReadonlyMap<string, number> {
  const withPlain = (word: string) => [word, word.normalize('NFKD').replace(/\p{M}/gu, '')];
  return new Map(
    rows.flatMap((row, index) =>
      row
        .split(' ')
        .flatMap(withPlain)
        .map((word): [string, number] => [word, index + 1]),
    ),
  );
}

/** Names of weekdays, months and numbers in English, German, French and Spanish. */
export const WEEKDAY_NUMBERS = numbered(
  'monday mon montag lundi lunes',
  'tuesday tues tue dienstag mardi martes',
  'wednesday wed mittwoch mercredi miércoles',
  'thursday thurs thur thu donnerstag jeudi jueves',
  'friday fri freitag vendredi viernes',
  'saturday sat samstag sonnabend samedi sábado',
  'sunday sun sonntag dimanche domingo',
);

const MONTH_NUMBERS = numbered(
  'january jan januar jänner janvier enero',
  'february feb februar février febrero',
  'march mar märz maerz mars marzo',
  'april apr avril abril',
  'may mai mayo',
  'june jun juni juin junio',
  'july jul juli juillet julio',
  'august aug août agosto',
  'september sept sep septembre septiembre',
  'october oct oktober okt octobre octubre',
  'november nov novembre noviembre',
  'december dec dezember dez décembre diciembre',
);

const NUMBERS = numbered(
  'a an one ein eine einem einer un une una',
  'two zwei deux dos',
  'three drei trois tres',
  'four vier quatre cuatro',
  'five fünf cinq cinco',
  'six sechs seis',
  'seven sieben sept siete',
  'eight acht huit ocho',
  'nine neun neuf nueve',
  'ten zehn dix diez',
);

/** In lower case these are ordinary words. */
const COMMON = new Set(['mon', 'sat', 'sun', 'wed']);

export function weekdayNamed(word: string): number | undefined {
  return COMMON.has(word) ? undefined : WEEKDAY_NUMBERS.get(word.toLowerCase());
}

export function monthNamed(word: string): number | undefined {
  return MONTH_NUMBERS.get(word.toLowerCase());
}

export function numberNamed(word: string): number | undefined {
  return /^\d{1,3}$/.test(word) ? Number(word) : NUMBERS.get(word.toLowerCase());
}
