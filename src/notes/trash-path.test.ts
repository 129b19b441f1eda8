import { expect, test } from 'vitest';
import { isTrashed, parseTrashPath, stampedPath, trashPathOf } from './ops/trash.ts';
import type { NotePath } from './path.ts';

const at = (path: string) => path as NotePath;
const NOVEMBER = Date.UTC(2026, 10, 15);

test('a page goes below the month, under its own path', () => {
  expect(trashPathOf(at('ref/page.md'), NOVEMBER)).toBe('_trash/2026-11/ref/page.md');
  expect(trashPathOf(at('a.md'), Date.UTC(2027, 0, 1))).toBe('_trash/2027-01/a.md');
  expect(stampedPath(at('_trash/2026-11/ref/page.md'), NOVEMBER)).toBe(
    `_trash/2026-11/ref/page-${NOVEMBER}.md`,
  );
});

test.each([
  ['_trash/x.md', true],
  ['_TRASH/x.md', true],
  ['_trash.md', false],
  ['a/_trash/x.md', false],
  ['_trashed/x.md', false],
])('%s: %s', (path, trashed) => {
  expect(isTrashed(path)).toBe(trashed);
});

test.each([
  ['_trash/2026-11/a/b.md', [], 'a/b.md', undefined],
  [`_trash/2026-11/b-${NOVEMBER}.md`, ['_trash/2026-11/b.md'], 'b.md', NOVEMBER],
  [`_trash/2026-11/b-${NOVEMBER}.md`, [], `b-${NOVEMBER}.md`, undefined],
  ['_trash/2026-11/b-1000000000000.md', ['_trash/2026-11/b.md'], 'b-1000000000000.md', undefined],
  ['_trash/2026-11/b-2.md', ['_trash/2026-11/b.md'], 'b-2.md', undefined],
])('%s beside %j was %s', (path, others, original, deletedAt) => {
  const parsed = parseTrashPath(at(path), (other) => others.includes(other));
  expect(parsed).toEqual({ path, original, month: '2026-11', ...(deletedAt && { deletedAt }) });
});

test.each(['_trash/x.md', '_trash/2026/x.md', 'a/b.md'])('%s is not a deleted page', (path) => {
  expect(parseTrashPath(at(path), () => true)).toBeUndefined();
});
