import { describe, expect, test } from 'vitest';
import { type CalendarKind, calendarDate } from './calendar-dates.ts';

describe('a date that exists is taken as it stands', () => {
  test.each<[CalendarKind, string]>([
    ['day', '2026-11-15'],
    ['day', '2024-02-29'],
    ['day', '0050-03-01'],
    ['inbox', '2026-12-31'],
    ['week', '2026-W01'],
    ['week', '2026-W53'],
    ['week', '2025-W52'],
    ['month', '2026-12'],
    ['year', '1999'],
  ])('%s %s', (kind, date) => expect(calendarDate(kind, date)).toBe(date));
});

describe('a date that does not exist is refused', () => {
  test.each<[CalendarKind, string]>([
    ['day', '2026-02-30'],
    ['day', '2026-02-29'],
    ['day', '2026-13-01'],
    ['day', '2026-00-10'],
    ['day', '2026-1-1'],
    ['day', '2026-11-15T00:00'],
    ['day', 'today'],
    ['inbox', '2026-04-31'],
    ['week', '2026-W99'],
    ['week', '2026-W00'],
    ['week', '2024-W53'],
    ['week', '2026-46'],
    ['month', '2026-13'],
    ['month', '2026-11-15'],
    ['year', '26'],
    ['year', '2026\n'],
  ])('%s %s', (kind, date) => {
    expect(() => calendarDate(kind, date)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });
});

test('without a date it is the present period', () => {
  const now = new Date(2027, 0, 2, 12);
  const kinds: CalendarKind[] = ['day', 'inbox', 'week', 'month', 'year'];
  expect(kinds.map((kind) => calendarDate(kind, undefined, now))).toEqual([
    '2027-01-02',
    '2027-01-02',
    '2026-W53',
    '2027-01',
    '2027',
  ]);
});
