import { expect, test } from 'vitest';
import { authorOf, diffLines, timeOf } from './text.ts';

test('a diff is coloured on a terminal, and notes cannot colour it themselves', () => {
  const diff = '@@ -1 +1 @@\n-old\n+\u001b[7mnew\u202e\n same';
  expect(diffLines(diff, { color: true })).toEqual([
    '\u001b[36m@@ -1 +1 @@\u001b[39m',
    '\u001b[31m-old\u001b[39m',
    '\u001b[32m+new\u001b[39m',
    ' same',
  ]);
  expect(diffLines(diff, { color: false })).toEqual(['@@ -1 +1 @@', '-old', '+new', ' same']);
  expect(diffLines('', { color: true })).toEqual([]);
});

test('times are local ones', () => {
  expect(timeOf(new Date(2026, 2, 4, 5, 6).getTime())).toBe('2026-03-04 05:06');
});

test('an author is a client with its login, as far as they are known', () => {
  expect(authorOf({ client: 'claude 1', principal: 'user:me' })).toBe('claude 1 (user:me)');
  expect(authorOf({ client: 'claude 1', principal: 'anonymous' })).toBe('claude 1');
  expect(authorOf({ principal: 'user:me' })).toBe('user:me');
  expect(authorOf({})).toBe('unknown');
});
