import { expect, test } from 'vitest';
import { scanFields, withField } from './task-fields.ts';
import { nextDates, parseRecurrence, stepAfter } from './task-recurrence.ts';

const found = (text: string) => scanFields(text).map(({ name, value, form }) => [name, value, form]);

test.each([
  ['a 🗓️ 2026-12-01 ⏳2026-11-01 🛫 2026-10-01', ['due', 'scheduled', 'start'], 'emoji'],
  ['a ✅ 2026-12-01 ➕ 2026-11-01 ❌ 2026-10-01', ['done', 'created', 'cancelled'], 'emoji'],
  ['a 🔁 every week when done 🆔 ab1 ⛔ cd2,ef3 ⏬', ['recurrence', 'id', 'blockedBy', 'priority'], 'emoji'],
  ['a [due:: 2026-12-01] (completion:: 2026-12-02)', ['due', 'done'], 'dataview'],
  ['a [due: "2026-12-01T10:00"] [priority: high]', ['due', 'priority'], 'silverbullet'],
  ['a @due(2026-12-01) (start: 2026-11-01) scheduled:2026-11-02', ['due', 'start', 'scheduled'], 'plain'],
])('the fields of %s', (text, names, form) => {
  expect(found(text).map(([name, , own]) => [name, own])).toEqual(names.map((name) => [name, form]));
});

test('names are owners; addresses, links and other words are not', () => {
  expect(found('@kim.lee, (@ana) mail a@b.org [due: x](url) overdue:2026-01-01')).toEqual([
    ['owner', 'kim.lee', 'name'],
    ['owner', 'ana', 'name'],
  ]);
});

test('a date that is none is replaced as a whole; a time of day is kept', () => {
  expect(withField('a [due:: tomorrow]', 'due', '2026-12-01', 'emoji')).toBe('a [due:: 2026-12-01]');
  expect(withField('a [due:: ]', 'due', '2026-12-01', 'emoji')).toBe('a [due:: 2026-12-01]');
  expect(withField('a [due: "2026-11-01T10:00"]', 'due', '2026-12-01', 'emoji')).toBe(
    'a [due: "2026-12-01T10:00"]',
  );
  expect(withField('a @kim', 'owner', 'Kim Lee', 'name')).toBe('a (owner: Kim Lee)');
});

test.each([
  ['every day', '2026-12-31', '2027-01-01'],
  ['every 2 weeks', '2026-12-01', '2026-12-15'],
  ['every month', '2026-01-31', '2026-02-28'],
  ['Every 3 months', '2026-11-30', '2027-02-28'],
  ['every year', '2024-02-29', '2025-02-28'],
])('%s after %s', (rule, day, next) => {
  expect(stepAfter(day, parseRecurrence(rule)!)).toBe(next);
});

test('other rules are not guessed; dates keep their distance', () => {
  for (const rule of ['every weekday', 'every month on the last Friday', 'every 0 days', 'daily'])
    expect(parseRecurrence(rule)).toBeUndefined();
  const step = parseRecurrence('every week when done')!;
  const dates = { due: '2026-11-10', start: '2026-11-08' };
  expect(nextDates(dates, ['due', 'start'], step, '2026-11-18')).toEqual({
    due: '2026-11-25',
    start: '2026-11-23',
  });
});
