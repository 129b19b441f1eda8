import { expect, test } from 'vitest';
import { applyPatch } from './unified-diff.ts';

const TEXT = 'a\nb\nc\nd\ne\n';

test.each([
  ['a change in the middle', TEXT, '@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n', 'a\nb\nC\nd\ne\n'],
  ['file headers before it', TEXT, '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+A\n', 'A\nb\nc\nd\ne\n'],
  ['two hunks', TEXT, '@@ -1 +1,2 @@\n-a\n+A\n+A2\n@@ -5 +6 @@\n-e\n+E\n', 'A\nA2\nb\nc\nd\nE\n'],
  ['a wrong line number', TEXT, '@@ -40,2 +40,2 @@\n c\n-d\n+D\n', 'a\nb\nc\nD\ne\n'],
  ['wrong counts', TEXT, '@@ -3,9 +3,9 @@\n c\n-d\n+D\n', 'a\nb\nc\nD\ne\n'],
  ['an insertion without context', TEXT, '@@ -2,0 +3 @@\n+x\n', 'a\nb\nx\nc\nd\ne\n'],
  ['an insertion into nothing', '', '@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n', 'x'],
  ['no line break at the end', '<p>a</p>', '@@ -1 +1 @@\n-<p>a</p>\n+<p>b</p>\n', '<p>b</p>'],
  ['a line break taken away', 'a\n', '@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n', 'a'],
  ['a line break added', 'a', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n', 'a\n'],
  ['other line endings', 'a\r\nb\r\n', '@@ -1,2 +1,2 @@\n a\n-b\n+B\n', 'a\r\nB\r\n'],
  ['mixed line endings', 'a\r\nb\r\nc\n', '@@ -1,2 +1,2 @@\n a\n-b\n+B\n', 'a\r\nB\r\nc\n'],
  ['everything taken away', 'a\n', '@@ -1 +0,0 @@\n-a\n', ''],
  ['an equal line after a removed one', 'x\nx\n', '@@ -1,2 +1 @@\n-x\n x\n', 'x\n'],
])('%s', (_, text, patch, expected) => {
  expect(applyPatch(text, patch)).toBe(expected);
});

test.each([
  ['words', 'garbage', /no hunk/],
  ['nothing', '', /no hunk/],
  ['lines that are not there', '@@ -1 +1 @@\n-z\n+y\n', /does not fit/],
  ['lines that are there twice', '@@ -9 +9 @@\n-x\n+y\n', /does not fit/],
  ['a line without a sign', '@@ -1 +1 @@\nfoo\n', /cannot be read/],
  ['an empty hunk', '@@ -1 +1 @@\n', /is empty/],
])('%s are refused', (_, patch, message) => {
  expect(() => applyPatch('x\nx\n', patch)).toThrow(message);
});
