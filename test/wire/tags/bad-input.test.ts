import { expect, test } from 'vitest';
import { badlyRefused, type Subject } from '../../kit/bad-input.ts';
import { withSetsInFolder } from '../../kit/note-sets.ts';
import { pinnedNames } from '../../kit/pinned-tools.ts';
import { snapshot } from '../notebook/support.ts';
import { SEED } from './support.ts';

const LIST = { folder: 'folderPath', limit: 'limit', cursor: 'strictCursor' } as const;

const SUBJECTS: Record<string, Subject> = {
  list_tags: {
    good: {},
    parameters: { prefix: 'words', nested: 'choice', sort: 'choice', ...LIST },
    required: [],
  },
  find_by_tags: {
    good: { expression: 'project' },
    parameters: { expression: 'query', sort: 'choice', ...LIST },
    required: ['expression'],
  },
  rename_tag: {
    good: { from: 'project', to: 'work' },
    parameters: { from: 'query', to: 'query', folder: 'folderPath', dry_run: 'boolean' },
    required: ['from', 'to'],
  },
};

test('every tool of the set refuses every bad value by the name of its parameter and writes nothing', async () => {
  const { call, folder } = await withSetsInFolder(['tags'], SEED);
  const before = await snapshot(folder);
  expect(Object.keys(SUBJECTS)).toEqual(pinnedNames('tags'));
  for (const tool of Object.keys(SUBJECTS)) {
    const wrong = await badlyRefused(tool, SUBJECTS, call, ({ isError, text }) =>
      isError && !/Internal error/.test(text) ? { words: text } : { wrong: 'accepted' },
    );
    expect(wrong).toEqual([]);
  }
  for (const bad of [{ to: 'project' }, { to: 'a1b2c3' }, { to: '123' }, { to: 'a b' }, { from: 'a/' }])
    expect((await call('rename_tag', { from: 'project', to: 'work', ...bad })).isError).toBe(true);
  expect(await snapshot(folder)).toEqual(before);
});
