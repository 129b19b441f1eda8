import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../kit/temp.ts';
import { openNotes, searching } from './kit.ts';

it('a saved index knows which notes may hold tasks: only these are read', async () => {
  const folder = await temporaryFolder({
    'a.md': '- [ ] call\n',
    'b.md': 'a [link](a.md) and - [[c]]\n',
    'c.md': '```\n- [ ] in code\n```\n',
    'd.md': '1. [x] done\n',
  });
  const snapshotFile = join(await temporaryFolder(), 'index.bin');
  const options = { snapshotFile, worthSaving: 1 };
  const first = await searching(await openNotes(folder), options);
  const tasksOf = async (searcher: typeof first.searcher) =>
    (await searcher.tasks()).map(([path, tasks]) => [path, tasks.map(({ text }) => text)]);
  const expected = [
    ['a.md', ['call']],
    ['d.md', ['done']],
  ];
  expect(await tasksOf(first.searcher)).toEqual(expected);
  await first.searcher.close();

  const store = await openNotes(folder);
  const read = vi.fn(store.readListed!);
  const again = await searching({ ...store, readListed: read }, options);
  expect(await tasksOf(again.searcher)).toEqual(expected);
  expect(read.mock.calls.map(([{ path }]) => path).sort()).toEqual(['a.md', 'c.md', 'd.md']);
});
