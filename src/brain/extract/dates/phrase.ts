/**
 * Parses the date at one offset of a text: `Friday`, `20 November`, `in 2 weeks`, `end of next month`, `EOW`, `Q1`,
 * `2026-W48`, `12/3/2026`, also in German, French and Spanish. It never searches, so that `march on` and `Sat on the
 * chair` are not taken for dates.
 */
import type { DateOrder } from '../types.ts';
import * as calendar from './calendar.ts';
import { monthNamed, numberNamed, weekdayNamed } from './calendar.ts';

export interface DateReading {
  /** The day that relative and incomplete dates are resolved against; without it only complete dates are. */
  readonly reference: string | undefined;
  readonly order: DateOrder | undefined;
}

interface DatePhrase {
  readonly end: number;
  /** Absent when the date needs a reference and there is none. */
  readonly day?: string;
  readonly ambiguous: boolean;
}

type Rule = readonly [RegExp, (match: RegExpExecArray, reading: DateReading) => DateMatch | undefined];
interface DateMatch {
  readonly day?: string;
  readonly ambiguous?: boolean;
}

const FRIDAY = 5;
const NEXT = 'next|nächste[nrms]?|kommende[nrms]?|prochaine?|próxim[oa]';
const THIS = 'this|diese[nrms]?|cette|ce|est[ea]';

/** Resolves a relative date against the reference, if there is one. */
function from(
  { reference }: DateReading,
  day: (reference: string) => string | undefined,
): DateMatch | undefined {
  if (reference === undefined) return {};
  const found = day(reference);
  return found === undefined ? undefined : { day: found };
}

function whole(day: string | undefined): DateMatch | undefined {
  return day === undefined ? undefined : { day };
}

/** The first such day on or after the reference. */
function yearless(month: number, date: number, reading: DateReading): DateMatch | undefined {
  if (calendar.dayOf(2000, month, date) === undefined) return undefined;
  return from(reading, (reference) => {
    const { year } = calendar.partsOf(reference);
    const days = [year, year + 1, year + 2, year + 3, year + 4].map((one) =>
      calendar.dayOf(one, month, date),
    );
    return days.find((day) => day !== undefined && day >= reference);
  });
}

function dated(month: number | undefined, date: string, year: string | undefined, reading: DateReading) {
  if (month === undefined) return undefined;
  return year === undefined
    ? yearless(month, Number(date), reading)
    : whole(calendar.dayOf(fullYear(year), month, Number(date)));
}

function fullYear(year: string): number {
  return year.length === 2 ? 2000 + Number(year) : Number(year);
}

function numeric(
  [, first = '', second = '', year]: RegExpExecArray,
  reading: DateReading,
): DateMatch | undefined {
  const [a, b] = [Number(first), Number(second)];
  const order = a > 12 ? 'dmy' : b > 12 ? 'mdy' : (reading.order ?? 'mdy');
  const found = order === 'dmy' ? dated(b, first, year, reading) : dated(a, second, year, reading);
  const ambiguous = a <= 12 && b <= 12 && a !== b && reading.order === undefined;
  return found && { ...found, ambiguous };
}

function quarterEnd(quarter: number, year: string | undefined, reading: DateReading): DateMatch | undefined {
  const end = (of: number) => calendar.endOfMonth(of, quarter * 3);
  if (year !== undefined) return whole(end(fullYear(year)));
  return from(reading, (reference) => {
    const { year: current } = calendar.partsOf(reference);
    return end(current) >= reference ? end(current) : end(current + 1);
  });
}

function weekFriday(year: string | undefined, week: string, reading: DateReading): DateMatch | undefined {
  if (year !== undefined) return whole(calendar.dayOfIsoWeek(Number(year), Number(week), FRIDAY));
  return from(reading, (reference) => {
    const current = calendar.partsOf(reference).year;
    const days = [current, current + 1].map((one) => calendar.dayOfIsoWeek(one, Number(week), FRIDAY));
    return days.find((day) => day !== undefined && day >= reference);
  });
}

function fridayOf(reference: string, weeks: number): string {
  const friday = calendar.weekdayIn(reference, weeks, FRIDAY);
  return friday < reference ? calendar.addDays(friday, 7) : friday;
}

function later(amount: number, unit: string, reference: string): string {
  if (/^(?:d|t|j)/i.test(unit)) return calendar.addDays(reference, amount);
  if (/^(?:w|sem)/i.test(unit)) return calendar.addDays(reference, amount * 7);
  if (/^mo|^mes|^mois/i.test(unit)) return calendar.addMonths(reference, amount);
  return calendar.addMonths(reference, amount * 12);
}

const UNIT =
  '(days?|tage?n?|jours?|días?|weeks?|wochen?|semaines?|semanas?|months?|monate?n?|mois|mes(?:es)?|years?|jahre?n?|ans?)';
const END_OF = '(?:the )?(?:end of|ende|fin de|fin du|finales de)(?: the| des| der| du| la| le)?';
const WORD = '(\\p{L}{2,12})';

const rule = (source: string, read: Rule[1]): Rule => [new RegExp(`${source}(?![\\p{L}\\d])`, 'iuy'), read];

const RULES: readonly Rule[] = [
  rule('(\\d{4})-(\\d{2})-(\\d{2})', ([, year, month, day]) =>
    whole(calendar.dayOf(Number(year), Number(month), Number(day))),
  ),
  rule('(\\d{4})-?W(\\d{2})', ([, year, week = ''], reading) => weekFriday(year, week, reading)),
  rule('(?:KW|week|W) ?(\\d{1,2})', ([, week = ''], reading) => weekFriday(undefined, week, reading)),
  rule('(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4}|\\d{2})?', ([, day = '', month, year], reading) =>
    dated(Number(month), day, year, reading),
  ),
  rule('(\\d{1,2})/(\\d{1,2})(?:/(\\d{4}|\\d{2}))?(?! (?:of|von)\\b|/)', numeric),
  rule(`${END_OF} Q([1-4])(?:[ /-]?(\\d{4}))?`, ([, quarter, year], reading) =>
    quarterEnd(Number(quarter), year, reading),
  ),
  rule('Q([1-4])(?:[ /-]?(\\d{4}))?', ([, quarter, year], reading) =>
    quarterEnd(Number(quarter), year, reading),
  ),
  rule(`(?:EOD|COB|${END_OF} (?:day|tages)|today|tonight|heute|aujourd'hui|hoy)`, (_, reading) =>
    from(reading, (day) => day),
  ),
  rule('(?:tomorrow|morgen(?! früh)|demain|mañana)', (_, reading) =>
    from(reading, (day) => calendar.addDays(day, 1)),
  ),
  rule('übermorgen', (_, reading) => from(reading, (day) => calendar.addDays(day, 2))),
  rule(`(?:EOW|${END_OF} (?:(?:${THIS}) )?(?:work(?:ing)? ?)?(?:week|woche|semaine|semana))`, (_, reading) =>
    from(reading, (day) => fridayOf(day, 0)),
  ),
  rule(`(?:${END_OF} )?(?:(?:${NEXT}) (?:week|woche|semana)|(?:la )?semaine prochaine)`, (_, reading) =>
    from(reading, (day) => calendar.weekdayIn(day, 1, FRIDAY)),
  ),
  rule(`(?:EOM|${END_OF} (?:(?:${THIS}) )?(?:month|monats?|mois|mes))`, (_, reading) =>
    from(reading, (day) => monthEnd(day, 0)),
  ),
  rule(`(?:${END_OF} )?(?:${NEXT}) (?:month|monats?|mois|mes)`, (_, reading) =>
    from(reading, (day) => monthEnd(day, 1)),
  ),
  rule(`(?:EOY|${END_OF} (?:(?:${THIS}) )?(?:year|jahre?s|année|año))`, (_, reading) =>
    from(reading, (day) => `${day.slice(0, 4)}-12-31`),
  ),
  rule(`(${END_OF}|mid|mitte)[ -](?:of )?${WORD}(?: (\\d{4}))?`, ([, which = '', name = '', year], reading) =>
    withinMonth(/^mi/i.test(which), monthNamed(name), year, reading),
  ),
  rule(
    `(?:(?:in|within|innerhalb von|dans|d'ici|en) )?(?:(?:the )?next )?(\\p{L}{1,6}|\\d{1,3})(?: more)? ${UNIT}`,
    ([, count = '', unit = ''], reading) => {
      const amount = numberNamed(count);
      return amount === undefined ? undefined : from(reading, (day) => later(amount, unit, day));
    },
  ),
  rule(
    `(?:(${NEXT}|${THIS}) )?${WORD}\\.?(?: (${NEXT})(?: (?:week|woche))?)?`,
    ([, before, name = '', after], reading) =>
      weekday(weekdayNamed(name), { next: isNext(before) || isNext(after), reading }),
  ),
  rule(
    `(?:the )?(\\d{1,2})(?:st|nd|rd|th|\\.|er)?(?: (?:of|de))? ${WORD}\\.?(?:,? (?:de )?(\\d{4}))?`,
    (match, reading) => dated(monthNamed(match[2] ?? ''), match[1] ?? '', match[3], reading),
  ),
  rule(`${WORD}\\.? (?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?`, (match, reading) =>
    dated(monthNamed(match[1] ?? ''), match[2] ?? '', match[3], reading),
  ),
  rule('(?:the )?(\\d{1,2})(?:st|nd|rd|th)(?! (?:of|floor|time|version|draft|street))', ([, date], reading) =>
    from(reading, (day) => dateInMonth(day, Number(date))),
  ),
  // A month alone must be written as a name: "may" and "march" are verbs too.
  [
    /(\p{Lu}\p{L}{2,11})(?: (\d{4}))?(?![\p{L}\d'’])/uy,
    ([, name = '', year], reading) => dated(monthNamed(name), '1', year, reading),
  ],
];

function isNext(word: string | undefined): boolean {
  return word !== undefined && new RegExp(`^(?:${NEXT})$`, 'iu').test(word);
}

function monthEnd(day: string, months: number): string {
  const { year, month } = calendar.partsOf(calendar.addMonths(day, months));
  return calendar.endOfMonth(year, month);
}

function withinMonth(
  isMiddle: boolean,
  month: number | undefined,
  year: string | undefined,
  reading: DateReading,
) {
  if (month === undefined) return undefined;
  if (isMiddle) return dated(month, '15', year, reading);
  if (year !== undefined) return whole(calendar.endOfMonth(Number(year), month));
  return from(reading, (reference) => {
    const { year: current } = calendar.partsOf(reference);
    const end = calendar.endOfMonth(current, month);
    return end >= reference ? end : calendar.endOfMonth(current + 1, month);
  });
}

/** "By Friday", written on a Friday, is a week away. */
function weekday(
  named: number | undefined,
  { next, reading }: { next: boolean; reading: DateReading },
): DateMatch | undefined {
  if (named === undefined) return undefined;
  return from(reading, (day) => {
    if (next) return calendar.weekdayIn(day, 1, named);
    return calendar.addDays(day, ((named - calendar.weekdayOf(day) + 6) % 7) + 1);
  });
}

function dateInMonth(reference: string, date: number): string | undefined {
  const { year, month } = calendar.partsOf(reference);
  const months = [0, 1, 2].map((more) => [
    year + Math.floor((month + more - 1) / 12),
    ((month + more - 1) % 12) + 1,
  ]);
  const days = months.map(([inYear = 0, inMonth = 0]) => calendar.dayOf(inYear, inMonth, date));
  return days.find((day) => day !== undefined && day >= reference);
}

/** The date that begins at `at`; the longest match wins. */
export function readDate(text: string, at: number, reading: DateReading): DatePhrase | undefined {
  let best: DatePhrase | undefined;
  for (const [pattern, read] of RULES) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    const end = at + (match?.[0].length ?? 0);
    if (match === null || end <= (best?.end ?? at)) continue;
    const found = read(match, reading);
    if (found) best = { ambiguous: false, ...found, end };
  }
  return best;
}
