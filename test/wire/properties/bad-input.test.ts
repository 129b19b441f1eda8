import { expect, test } from 'vitest';
import { badlyRefused, type Subject } from '../../kit/bad-input.ts';
import { withSetsInFolder } from '../../kit/note-sets.ts';
import { pinnedNames } from '../../kit/pinned-tools.ts';
import { SEED } from './support.ts';

const LIST = { limit: 'limit', cursor: 'strictCursor' } as const;

const SUBJECTS: Record<string, Subject> = {
  query_notes: {
    good: {},
    parameters: { folder: 'folderPath', group_by: 'words', ...LIST },
    required: [],
  },
  read_base: {
    good: { path: 'all.base' },
    parameters: { path: 'notePath', view: 'words', ...LIST },
    required: ['path'],
  },
};

test('every tool of the set refuses every bad value by the name of its parameter', async () => {
  const { call } = await withSetsInFolder(['properties'], SEED);
  expect(Object.keys(SUBJECTS)).toEqual(pinnedNames('properties'));
  for (const tool of Object.keys(SUBJECTS)) {
    const wrong = await badlyRefused(tool, SUBJECTS, call, ({ isError, text }) =>
      isError && !/Internal error/.test(text) ? { words: text } : { wrong: 'accepted' },
    );
    expect(wrong).toEqual([]);
  }
});

const LONG = Array.from({ length: 100 }, (_, at) => `f${at}`);

test.each([
  ['where', ['x', 7, null, [], { a: null }, { a: { '~': 1 } }, { 'a\ud800': 1 }, { a: 'x\ud800' }]],
  ['tags', ['x', 7, null, [''], [5], LONG, ['x'.repeat(1_000)]]],
  ['sort', ['x', 7, null, [''], [5], LONG, ['-'], ['file.nothing']]],
  ['columns', ['x', 7, null, [''], [5], LONG, ['file.nothing']]],
  ['group_by', ['file.nothing', ' ']],
])('query_notes refuses what %s cannot be', async (parameter, values) => {
  const { call } = await withSetsInFolder(['properties'], SEED);
  for (const value of values) {
    const { isError, text } = await call('query_notes', { [parameter]: value });
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(parameter) });
    expect(text).not.toContain('Internal error');
  }
});
