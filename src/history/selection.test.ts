import { expect, test } from 'vitest';
import type { Change } from './change.ts';
import { effective } from './selection.ts';

interface Made {
  readonly undoes?: readonly string[];
  readonly undoneBy?: string;
}

/** Ids of what is left to undo among the changes. */
function left(changes: Readonly<Record<string, Made>>): string[] {
  const head = { group: 'g', at: 0, notebook: 'n', tool: 't', by: {}, edits: [] };
  return effective(Object.entries(changes).map(([id, made]): Change => ({ ...head, id, ...made }))).map(
    ({ id }) => id,
  );
}

test('a change and the one that undid it cancel each other out', () => {
  expect(left({ a: { undoneBy: 'b' }, b: { undoes: ['a'] } })).toEqual([]);
});

test('an undoing that was undone brings the change back', () => {
  expect(left({ a: {}, b: { undoes: ['a'], undoneBy: 'c' }, c: { undoes: ['b'] } })).toEqual(['a']);
});

test('an undoing of an older change is undone', () => {
  expect(left({ b: { undoes: ['a'] } })).toEqual(['b']);
});

test('an undoing of an older and a newer change is undone together with the newer one', () => {
  expect(left({ b: { undoneBy: 'c' }, c: { undoes: ['a', 'b'] } })).toEqual(['b', 'c']);
});

test('a change that somebody else undid is left alone', () => {
  expect(left({ a: { undoneBy: 'c' }, b: {} })).toEqual(['b']);
});
