/** The search of a server that has just started on notes that others change. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { NoteStore } from '../../src/notes/store.ts';
import { describeWith } from '../kit/needs.ts';
import { postgresNeed } from '../kit/postgres.ts';
import { freshNotebook, openServer } from '../kit/postgres-notes.ts';
import { at, searching } from './kit.ts';

async function begin(slowed: (store: NoteStore) => Partial<NoteStore>) {
  const place = await freshNotebook();
  const [other, own] = [await openServer(place), await openServer(place)];
  await other.write(at('early.md'), 'giraffe');
  const { searcher, paths } = await searching({ ...own, ...slowed(own) });
  searcher.start();
  return { searcher, paths, other };
}

describeWith(postgresNeed, 'a server that has just started', () => {
  test('finds what another one wrote while it still indexes', async () => {
    const { searcher, paths, other } = await begin(({ read }) => ({
      read: async (path) => {
        await sleep(300);
        return read(path);
      },
    }));
    await expect.poll(() => searcher.facts().comparedAt, { interval: 5 }).toBeDefined();
    await other.write(at('late.md'), 'zebra');
    expect(searcher.facts().isWatching).toBe(false);
    expect(await paths('zebra')).toEqual(['late.md']);
  });

  test('finds what another one wrote while it begins to follow the changes', async () => {
    let follow = () => {};
    const isReady = new Promise<void>((resolve) => {
      follow = resolve;
    });
    const { searcher, paths, other } = await begin(({ watch }) => ({
      watch: async (...options) => {
        await isReady;
        return watch!(...options);
      },
    }));
    await expect.poll(() => searcher.facts().isWatching, { interval: 5 }).toBe(true);
    await other.write(at('late.md'), 'zebra');
    expect(await paths('zebra')).toEqual(['late.md']);
    follow();
    await other.write(at('later.md'), 'zebra');
    expect((await paths('zebra')).sort()).toEqual(['late.md', 'later.md']);
  });
});
