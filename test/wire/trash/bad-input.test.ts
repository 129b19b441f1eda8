import { expect, test } from 'vitest';
import { badlyRefused, type Subject } from '../../kit/bad-input.ts';
import { withSetsInFolder } from '../../kit/note-sets.ts';
import { pinnedNames } from '../../kit/pinned-tools.ts';

const SUBJECTS: Record<string, Subject> = {
  list_trash: {
    good: {},
    parameters: { folder: 'folderPath', limit: 'limit', cursor: 'strictCursor' },
    required: [],
  },
  restore_note: { good: { path: 'a.md' }, parameters: { path: 'text', to: 'notePath' }, required: ['path'] },
  empty_trash: { good: {}, parameters: { older_than_days: 'offset', dry_run: 'boolean' }, required: [] },
};

test('every tool of the set refuses every bad value by the name of its parameter', async () => {
  const { call } = await withSetsInFolder(['trash'], { '.trash/a.md': 'a' }, { emptyTrash: true });
  expect(Object.keys(SUBJECTS)).toEqual(pinnedNames('trash'));
  for (const tool of Object.keys(SUBJECTS)) {
    const wrong = await badlyRefused(tool, SUBJECTS, call, ({ isError, text }) =>
      isError && !/Internal error/.test(text) ? { words: text } : { wrong: 'accepted' },
    );
    expect(wrong).toEqual([]);
  }
});
