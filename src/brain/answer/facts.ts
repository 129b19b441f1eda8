/**
 * Facts of a text that can be compared exactly: numbers with their units, dates, months, weekdays. All spellings of a
 * date are equal; an ambiguous numeric date counts with both readings.
 */
import { monthNamed, WEEKDAY_NUMBERS } from '../extract/dates/calendar.ts';

export interface Facts {
  /** `6-3` for 3 June. */
  readonly dates: ReadonlySet<string>;
  readonly months: ReadonlySet<string>;
  /** Weekdays named in the text. */
  readonly weekdays: ReadonlySet<string>;
  /** Weekdays of the dates that have a year. */
  readonly datesWeekdays: ReadonlySet<string>;
  /** Numbers, years included, with their units; an empty unit for none. */
  readonly numbers: ReadonlyMap<string, ReadonlySet<string>>;
}

const NUMBER_WORDS = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, value) => [word, String(value)] as const)
    // "one" is seldom a count.
    .filter(([word]) => word !== 'one'),
);

/** Spellings of a unit, the canonical one first. */
const UNITS = new Map(
  [
    '% percent prozent pct',
    '€ eur euro euros',
    '$ usd dollar dollars',
    '£ gbp pound pounds',
    'kb kilobyte kilobytes',
    'mb megabyte megabytes',
    'gb gigabyte gigabytes',
    'tb terabyte terabytes',
    'ms millisecond milliseconds',
    's sec second seconds sekunden',
    'min minute minutes minuten',
    'h hour hours hrs stunde stunden',
    'day days tag tage',
    'week weeks woche wochen',
    'month months monat monate',
    'year years jahr jahre',
    'kg kilogram kilograms',
    'km kilometre kilometres kilometer kilometers',
    'thousand k tsd',
    'million millions mio',
    'billion billions mrd',
  ].flatMap((line) => {
    const [first = '', ...others] = line.split(' ');
    return [first, ...others].map((spelling) => [spelling, first] as const);
  }),
);

const MONTH_WORD = '\\p{L}{3,10}';
const ISO_DATE = /(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)/g;
const NUMERIC_DATE = /(?<![\d.])(\d{1,2})([./])(\d{1,2})\2(\d{4}|\d{2})?(?![\d])/g;
const DAY_MONTH = new RegExp(
  `(?<![\\d.,])(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s+(?:of\\s+|de\\s+)?(${MONTH_WORD})\\b\\.?(?:,?\\s+(\\d{4}))?`,
  'gu',
);
const MONTH_DAY = new RegExp(
  `(?<![\\p{L}])(${MONTH_WORD})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?(?![\\d:%])(?:,?\\s+(\\d{4}))?`,
  'gu',
);
const NUMBER = /([€$£])?\s?(\d+(?:[.,:']\d+)*)(?:\s?(%|€|\$|£|\p{L}+))?/gu;

export function factsOf(text: string): Facts {
  const gathered: FactCollector = {
    dates: new Set<string>(),
    months: new Set<string>(),
    weekdays: new Set<string>(),
    datesWeekdays: new Set<string>(),
    numbers: new Map<string, Set<string>>(),
  };
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
  const rest = takeDates(plain, gathered);
  takeWords(rest, gathered);
  for (const [, before, digits = '', after = ''] of rest.matchAll(NUMBER))
    addAmount(gathered.numbers, amountOf(digits), UNITS.get(before ?? after));
  return gathered;
}

const YEAR = /^(?:19|20)\d\d$/;

export function yearsOf({ numbers }: Pick<Facts, 'numbers'>): string[] {
  return [...numbers.keys()].filter((number) => YEAR.test(number));
}

type FactCollector = Record<'dates' | 'months' | 'weekdays' | 'datesWeekdays', Set<string>> & {
  readonly numbers: Map<string, Set<string>>;
};

/** Collects the dates and returns the text without them. */
function takeDates(text: string, gathered: FactCollector): string {
  const date = (month: number, day: number, year?: string) => {
    if (month < 1 || month > 12 || day < 1 || day > 31) return false;
    gathered.dates.add(`${month}-${day}`);
    gathered.months.add(String(month));
    if (year === undefined) return true;
    const full = year.length === 2 ? `20${year}` : year;
    addNumber(gathered.numbers, full, undefined);
    gathered.datesWeekdays.add(String(new Date(Date.UTC(Number(full), month - 1, day)).getUTCDay()));
    return true;
  };
  return text
    .replace(ISO_DATE, (all, year: string, month: string, day: string) =>
      date(Number(month), Number(day), year) ? ' ' : all,
    )
    .replace(NUMERIC_DATE, (all, first: string, _: string, second: string, year?: string) => {
      if (year === undefined && !all.includes('.')) return all;
      const isDayFirst = date(Number(second), Number(first), year);
      const isMonthFirst = !all.includes('.') && date(Number(first), Number(second), year);
      return isDayFirst || isMonthFirst ? ' ' : all;
    })
    .replace(DAY_MONTH, (all, day: string, word: string, year?: string) =>
      date(monthOf(word), Number(day), year) ? ' ' : all,
    )
    .replace(MONTH_DAY, (all, word: string, day: string, year?: string) =>
      date(monthOf(word), Number(day), year) ? ' ' : all,
    );
}

/** Short or ambiguous words count as months only beside a day, in `takeDates`. */
function takeWords(text: string, { months, weekdays, numbers }: FactCollector): void {
  for (const [word] of text.matchAll(/\p{L}+/gu)) {
    const month = word.length > 3 && word !== 'mars' && word !== 'march' ? monthOf(word) : 0;
    if (month > 0) months.add(String(month));
    const weekday = word.length > 3 ? weekdayOf(word) : undefined;
    if (weekday !== undefined) weekdays.add(String(weekday));
    const number = NUMBER_WORDS.get(word);
    if (number !== undefined) addNumber(numbers, number, undefined);
  }
}

/** Whether a folded word is part of a date or an amount. */
export function isMeasureWord(word: string): boolean {
  return UNITS.has(word) || monthOf(word) > 0 || weekdayOf(word) !== undefined;
}

function monthOf(word: string): number {
  return monthNamed(word) ?? 0;
}

/** 0 for Sunday, as `Date` counts; a plural is a weekday, too. */
function weekdayOf(word: string): number | undefined {
  const number = WEEKDAY_NUMBERS.get(word) ?? WEEKDAY_NUMBERS.get(word.replace(/s$/, ''));
  return number === undefined ? undefined : number % 7;
}

const TIMES = new Map([
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
]);

/** `10k` is 10000. */
function addAmount(numbers: Map<string, Set<string>>, value: string, unit: string | undefined): void {
  const times = TIMES.get(unit ?? '');
  if (times === undefined) addNumber(numbers, value, unit);
  else addNumber(numbers, String(Number(value) * times), undefined);
}

function addNumber(numbers: Map<string, Set<string>>, value: string, unit: string | undefined): void {
  const units = numbers.get(value) ?? new Set<string>();
  numbers.set(value, units.add(unit ?? ''));
}

/** `1,000` and `1'000` are 1000; `2.50` is 2.5; times stay as they are. */
function amountOf(digits: string): string {
  const plain = digits.replace(/[,.'](?=\d{3}(?:\D|$))/g, '').replace(',', '.');
  return /^\d+(?:\.\d+)?$/.test(plain) ? String(Number(plain)) : plain;
}

/** The kind of fact that `claim` states and `source` does not, worded for a warning. */
export function missingFact(claim: Facts, source: Facts): 'a date' | 'a number' | undefined {
  const weekdays = new Set([...source.weekdays, ...source.datesWeekdays, ...claim.datesWeekdays]);
  const lacksDate =
    lacks(claim.dates, source.dates) || lacks(claim.months, source.months) || lacks(claim.weekdays, weekdays);
  if (lacksDate) return 'a date';
  const isKnown = ([value, units]: [string, ReadonlySet<string>]) => {
    const known = source.numbers.get(value);
    return (
      known !== undefined && (known.has('') || [...units].every((unit) => unit === '' || known.has(unit)))
    );
  };
  return [...claim.numbers].every(isKnown) ? undefined : 'a number';
}

function lacks(wanted: ReadonlySet<string>, given: ReadonlySet<string>): boolean {
  return [...wanted].some((one) => !given.has(one));
}
