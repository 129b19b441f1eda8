import { expect, test } from 'vitest';
import { badlyRefused, type Subject } from '../../kit/bad-input.ts';
import { withSetsInFolder } from '../../kit/note-sets.ts';
import { pinnedNames } from '../../kit/pinned-tools.ts';

const LIST = { limit: 'limit', cursor: 'strictCursor' } as const;

const SUBJECTS: Record<string, Subject> = {
  list_files: {
    good: {},
    parameters: { folder: 'folderPath', kind: 'choice', unlinked: 'boolean', ...LIST },
    required: [],
  },
  read_file: { good: { path: 'a.csv' }, parameters: { path: 'notePath' }, required: ['path'] },
  read_canvas: { good: { path: 'a.canvas' }, parameters: { path: 'notePath', ...LIST }, required: ['path'] },
  edit_canvas: {
    good: { path: 'a.canvas', remove: [] },
    parameters: { path: 'notePath' },
    required: ['path'],
  },
  move_folder: {
    good: { folder: 'f', to: 'g' },
    parameters: { folder: 'notePath', to: 'notePath', dry_run: 'boolean' },
    required: ['folder', 'to'],
  },
};

test('every tool of the set refuses every bad value by the name of its parameter', async () => {
  const { call } = await withSetsInFolder(['files'], { 'a.csv': 'a', 'f/a.md': 'a', 'a.canvas': '{}' });
  expect(Object.keys(SUBJECTS)).toEqual(pinnedNames('files'));
  for (const tool of Object.keys(SUBJECTS)) {
    const wrong = await badlyRefused(tool, SUBJECTS, call, ({ isError, text }) =>
      isError && !/Internal error/.test(text) ? { words: text } : { wrong: 'accepted' },
    );
    expect(wrong).toEqual([]);
  }
});

test('edit_canvas refuses bad lists, entries, keys and values by the name of the parameter', async () => {
  const { call } = await withSetsInFolder(['files'], { 'a.canvas': '{}' });
  const bad = [7, 'x', null, {}, [7], ['x'.repeat(200_000)], [null], Array.from({ length: 101 }, () => ({}))];
  for (const parameter of ['nodes', 'edges', 'remove'])
    for (const value of [
      ...bad,
      ...(parameter === 'remove' ? [['']] : [['x'], [{ __x: 1 }], [{ id: {} }]]),
    ]) {
      if (parameter === 'remove' && Array.isArray(value) && value.length === 101) continue;
      const { isError, text } = await call('edit_canvas', { path: 'a.canvas', [parameter]: value });
      expect(isError, `${parameter} ${JSON.stringify(value)?.slice(0, 50)}`).toBe(true);
      expect(text).toContain(parameter);
    }
  for (const value of [7, null, ['x'], 'x'.repeat(300)]) {
    const { text } = await call('edit_canvas', { path: 'a.canvas', remove: ['x'], expected_version: value });
    expect(text).toContain('expected_version');
  }
  for (const value of [7, null, ['x'], '', 'x'.repeat(300)])
    expect((await call('read_canvas', { path: 'a.canvas', node: value })).text).toContain('node');
});
