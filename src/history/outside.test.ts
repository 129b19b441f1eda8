import { expect, test } from 'vitest';
import type { Change, RecordedEdit } from './change.ts';
import { outsideChanges } from './outside.ts';

let count = 0;
const MINUTE = 60_000;

const change = (at: number, ...edits: Partial<RecordedEdit>[]): Change => ({
  id: String(count++).padStart(4, '0'),
  group: 'g',
  at,
  notebook: 'n',
  tool: 't',
  by: {},
  edits: edits.map((edit) => ({ kind: 'write', path: 'a.md', state: 'done', at, ...edit })),
});

const found = (...changes: Change[]) =>
  outsideChanges(changes.toReversed()).map(({ path, since, until }) => [path, since, until]);

test('a text that is not the one our last change left was changed outside', () => {
  const first = change(MINUTE, { before: 'x', after: 'y' });
  expect(found(first, change(2 * MINUTE, { before: 'y', after: 'z' }))).toEqual([]);
  expect(found(first, change(2 * MINUTE, { before: 'q', after: 'z' }))).toEqual([
    ['a.md', MINUTE, 2 * MINUTE],
  ]);
});

test('so were a note that came back after our deletion, and one that was gone', () => {
  const deleted = change(MINUTE, { kind: 'delete', before: 'x' });
  expect(found(deleted, change(2 * MINUTE, { before: 'x', after: 'y' }))).toHaveLength(1);
  const created = change(MINUTE, { kind: 'create', after: 'x' });
  expect(found(created, change(2 * MINUTE, { kind: 'create', after: 'x' }))).toHaveLength(1);
});

test('a moved note takes its text along', () => {
  const before = change(MINUTE, { before: 'x', after: 'y' });
  const moved = change(2 * MINUTE, { kind: 'move', to: 'b.md' });
  expect(found(before, moved, change(3 * MINUTE, { path: 'b.md', before: 'y', after: 'z' }))).toEqual([]);
  expect(found(before, moved, change(3 * MINUTE, { path: 'b.md', before: 'q', after: 'z' }))).toEqual([
    ['b.md', 2 * MINUTE, 3 * MINUTE],
  ]);
});

test('nothing is said after a change that was cut off, nor of two of ours that overlap', () => {
  const cut = change(MINUTE, { before: 'x', after: 'y', state: 'unknown' });
  expect(found(cut, change(2 * MINUTE, { before: 'q', after: 'z' }))).toEqual([]);
  const first = change(MINUTE, { before: 'x', after: 'y' });
  const late = change(MINUTE + 1, { before: 'z', after: 'w' });
  const early = change(MINUTE + 2, { before: 'y', after: 'z' });
  expect(found(first, late, early)).toEqual([]);
});
