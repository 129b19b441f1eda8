import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createUndo } from '../../src/app/history.ts';
import type { NoteStore } from '../../src/notes/store.ts';
import { recorded } from '../../src/stores/wrap/recorded.ts';
import { fileText, temporaryFolder } from '../kit/temp.ts';
import { changing, historyIn, ORIGIN, openFolder, path } from './kit.ts';

test('a note that is edited while changes are being undone is a conflict, and what was undone is taken back', async () => {
  const folder = await temporaryFolder({ 'a.md': 'a1\n', 'b.md': 'b1\n' });
  const history = historyIn(await temporaryFolder());
  const store = await openFolder(folder);
  const change = await changing(history, store, async (notes) => {
    await notes.write(path('b.md'), 'b2\n');
    await notes.write(path('a.md'), 'a2\n');
  });
  /** A person edits the other note right after the first one was restored. */
  const disturbed: NoteStore = {
    ...store,
    async write(to, content, options) {
      const written = await store.write(to, content, options);
      if (to === 'a.md') await writeFile(join(folder, 'b.md'), 'mine\n');
      return written;
    },
  };
  const scopeOf = (_: unknown, undoes?: readonly string[]) => {
    const recorder = history.record({ ...ORIGIN, tool: 'undo', undoes });
    return { recorder, over: (view: NoteStore) => recorded(view, recorder) };
  };
  const undo = createUndo({ store: disturbed, history, tracking: { history, scopeOf } as never });
  const result = await undo([change], {}, { dryRun: false, copies: false });
  expect(result.steps).toEqual([]);
  expect(result.conflicts).toMatchObject([{ path: 'b.md', change: change.id }]);
  expect(await fileText(folder, 'a.md')).toBe('a2\n');
  expect(await fileText(folder, 'b.md')).toBe('mine\n');
  expect((await history.change(change.id))?.undoneBy).toBeUndefined();
});
