import { expect, test } from 'vitest';
import { badlyRefused, type Subject } from '../../kit/bad-input.ts';
import { withSetsInFolder } from '../../kit/note-sets.ts';
import { pinnedNames } from '../../kit/pinned-tools.ts';
import { SEED } from './support.ts';

const LIST = { limit: 'limit', cursor: 'strictCursor' } as const;

const SUBJECTS: Record<string, Subject> = {
  get_links: {
    good: { path: 'hub.md' },
    parameters: { path: 'notePath', direction: 'choice', ...LIST },
    required: ['path'],
  },
  find_broken_links: { good: {}, parameters: { folder: 'folderPath', ...LIST }, required: [] },
  find_orphans: {
    good: {},
    parameters: { folder: 'folderPath', isolated: 'boolean', ...LIST },
    required: [],
  },
  explore_links: {
    good: { path: 'hub.md' },
    parameters: { path: 'notePath', to: 'notePath', depth: 'limit', ...LIST },
    required: ['path'],
  },
};

test('every tool of the set refuses every bad value by the name of its parameter', async () => {
  const { call } = await withSetsInFolder(['links'], SEED);
  expect(Object.keys(SUBJECTS)).toEqual(pinnedNames('links'));
  for (const tool of Object.keys(SUBJECTS)) {
    const wrong = await badlyRefused(tool, SUBJECTS, call, ({ isError, text }) =>
      isError && !/Internal error/.test(text) ? { words: text } : { wrong: 'accepted' },
    );
    expect(wrong).toEqual([]);
  }
});
