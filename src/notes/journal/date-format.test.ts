import { expect, test } from 'vitest';
import { formatJava, formatMoment } from './date-format.ts';

const at = (text: string) => new Date(`${text}Z`);
const DATE = at('2026-11-18T09:05:07');

test.each([
  ['YYYY-MM-DD', '2026-11-18'],
  ['YYYY/MM-MMMM/YYYY-MM-DD-dddd', '2026/11-November/2026-11-18-Wednesday'],
  ['ddd, MMM Do YYYY', 'Wed, Nov 18th 2026'],
  ['gggg-[W]ww', '2026-W47'],
  ['GGGG-[W]WW W', '2026-W47 47'],
  ['YYYY-[Q]Q', '2026-Q4'],
  ['[Daily note] D.M.YY', 'Daily note 18.11.26'],
  ['DDDD DDD E e d dd', '322 322 3 3 3 We'],
  ['HH:mm:ss h:mm A', '09:05:07 9:05 AM'],
  ['\\YYYYY', 'Y2026'],
])('Moment writes %s as %s', (format, text) => {
  expect(formatMoment(DATE, format)).toBe(text);
});

test.each(['LL', 'YYYY-MM-DD z', 'X', 'NN'])('%s has a token that is named as unknown', (format) => {
  expect(() => formatMoment(DATE, format)).toThrow(/The token \w+ of a date format is not known here/);
});

test.each([
  // As Moment counts them with its English locale, and by ISO 8601.
  ['2026-01-01T00:00:00', '2026-01', '2026-01'],
  ['2027-01-01T00:00:00', '2027-01', '2026-53'],
  ['2022-01-01T00:00:00', '2022-01', '2021-52'],
  ['2023-01-01T00:00:00', '2023-01', '2022-52'],
  ['2020-12-31T00:00:00', '2021-01', '2020-53'],
  ['2024-12-30T00:00:00', '2025-01', '2025-01'],
])('weeks at the turn of a year: %s', (day, english, iso) => {
  expect(formatMoment(at(day), 'gggg-ww')).toBe(english);
  expect(formatMoment(at(day), 'GGGG-WW')).toBe(iso);
});

test.each([
  ['yyyy_MM_dd', '2026_11_18'],
  ['MMM do, yyyy', 'Nov 18th, 2026'],
  ["EEEE, dd.MM.yyyy 'at' HH", 'Wednesday, 18.11.2026 at 09'],
])('Logseq writes %s as %s', (format, text) => {
  expect(formatJava(DATE, format)).toBe(text);
});
