import { expect, test } from 'vitest';
import { parseSince } from './since.ts';

const NOW = new Date(2026, 10, 17, 12, 0).getTime();
const HOUR = 3_600_000;

test.each([
  ['30m', NOW - HOUR / 2],
  ['2h', NOW - 2 * HOUR],
  [' 3D ', NOW - 72 * HOUR],
  ['1 w', NOW - 168 * HOUR],
  ['today', new Date(2026, 10, 17).getTime()],
  ['Yesterday', new Date(2026, 10, 16).getTime()],
  ['2026-11-16', new Date(2026, 10, 16).getTime()],
  ['2026-11-16 09:30', new Date(2026, 10, 16, 9, 30).getTime()],
  ['2026-11-16T09:30:15Z', Date.UTC(2026, 10, 16, 9, 30, 15)],
  ['2026-11-16T09:30:15.250+02:00', Date.UTC(2026, 10, 16, 7, 30, 15)],
])('%j is a time', (text, at) => {
  expect(parseSince(text, NOW)).toBe(at);
});

test.each([
  '',
  'soon',
  '2',
  'h',
  '-2h',
  '2h ago',
  '2026-02-30',
  '2026-13-01',
  '2026-11-16T25:00',
  '11/16/2026',
])('%j is none', (text) => {
  expect(() => parseSince(text, NOW)).toThrow(/^Not a time/);
});

test('a time that is still to come is refused', () => {
  expect(() => parseSince('2027-01-01', NOW)).toThrow(/still to come/);
});
