import { expect, test } from 'vitest';
import { formatMoment } from './date-format.ts';
import { dateMeant, type Period } from './period.ts';

const at = (text: string) => new Date(`${text}Z`);
const DATE = at('2026-11-18T09:05:07');

test.each<[string, Period, string]>([
  ['today', 'week', '2026-11-18'],
  ['yesterday', 'week', '2026-11-17'],
  ['tomorrow', 'day', '2026-11-19'],
  ['-1', 'week', '2026-11-11'],
  ['+1', 'month', '2026-12-18'],
  ['1', 'quarter', '2027-02-18'],
  ['-1', 'year', '2025-11-18'],
  ['2024-02-29', 'day', '2024-02-29'],
])('%s of a %s', (word, period, day) => {
  expect(formatMoment(dateMeant(word, period, DATE), 'YYYY-MM-DD')).toBe(day);
});

test('a month from the 31st is its last day', () => {
  const date = dateMeant('+1', 'month', at('2026-01-31T10:00:00'));
  expect(formatMoment(date, 'YYYY-MM-DD HH:mm')).toBe('2026-02-28 10:00');
});
