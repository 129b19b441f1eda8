import { existsSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../kit/temp.ts';
import { at, searchIn, searchInFolder } from './kit.ts';

describe('an index that is made anew', () => {
  it('finds what a changed file hid behind its old size and time stamp', async () => {
    const { paths, searcher, folder } = await searchInFolder({ 'a.md': 'alpha', 'b.md': 'beta' });
    const old = new Date('2026-01-01');
    await utimes(join(folder, 'a.md'), old, old);
    expect(await paths('alpha')).toEqual(['a.md']);
    await searcher.settled();
    await writeFile(join(folder, 'a.md'), 'gamma');
    await utimes(join(folder, 'a.md'), old, old);
    await searcher.rebuild();
    // Searches are complete from the first moment on.
    expect(await paths('gamma')).toEqual(['a.md']);
    expect(await paths('alpha')).toEqual([]);
    await searcher.settled();
    expect(await paths('gamma')).toEqual(['a.md']);
    expect(searcher.status()).toMatchObject({ indexed: 2, pending: 0 });
  });

  it('forgets the saved one, and saves the new one', async () => {
    const file = join(await temporaryFolder(), 'index-x.bin');
    const notes = Array.from({ length: 250 }, (_, n) => [`n${n}.md`, `word${n}x common`] as const);
    const { paths, searcher } = await searchInFolder(Object.fromEntries(notes), { snapshotFile: file });
    searcher.start();
    await searcher.settled();
    await expect.poll(() => existsSync(file)).toBe(true);
    await searcher.rebuild();
    expect(await paths('common')).toHaveLength(100);
    await searcher.settled();
    await expect.poll(() => existsSync(file)).toBe(true);
    expect(await paths('"word17x"')).toEqual(['n17.md']);
  });

  it('loses no note that is written, removed or indexed meanwhile', async () => {
    const seed = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`n${n}.md`, `note number${n}x`]));
    const { paths, searcher, store } = await searchIn(seed);
    searcher.start();
    for (let round = 0; round < 5; round++) {
      const rebuilt = searcher.rebuild();
      await store.write(at(`new${round}.md`), `fresh${round}`);
      await store.remove(at(`n${round}.md`));
      await rebuilt;
      expect(await paths(`fresh${round}`)).toEqual([`new${round}.md`]);
      expect(await paths(`"number${round}x"`)).toEqual([]);
    }
    await searcher.settled();
    expect(searcher.status()).toMatchObject({ indexed: 300, pending: 0 });
    expect(await paths('note', { limit: 1000 })).toHaveLength(295);
  });
});

describe('the parts of a score', () => {
  const NOTES = {
    'garden/roses.md': '---\ntags: [flower]\n---\n# Roses\n\nHow to prune roses in spring. Pruning is easy.',
    'spring.md': '# Spring\n\nRoses and bulbs; prune them.',
    'other.md': 'nothing of the kind',
  };

  it('sum up to it, and say which word stands where', async () => {
    const { searcher } = await searchIn(NOTES);
    await searcher.settled();
    const { hits } = await searcher.search({ query: 'prune roses', limit: 10, withScores: true });
    expect(hits.map(({ path }) => path)).toEqual(['garden/roses.md', 'spring.md']);
    for (const { score, parts } of hits) {
      const words = parts?.words.reduce((sum, one) => sum + one.score, 0) ?? 0;
      expect(words + (parts?.name ?? 0) + (parts?.literal ?? 0) + (parts?.others ?? 0)).toBeCloseTo(score, 1);
    }
    expect(hits[0]?.parts).toMatchObject({ name: 0, literal: 1000 });
    expect(hits[1]?.parts).toMatchObject({ name: 0, literal: 0 });
    const [prune, roses] = hits[0]?.parts?.words ?? [];
    expect(prune).toMatchObject({ word: 'prune', fields: [{ field: 'text', count: 2 }] });
    expect(roses?.fields).toEqual([
      { field: 'title', count: 1 },
      { field: 'path', count: 1 },
      { field: 'heading', count: 1 },
      { field: 'text', count: 2 },
    ]);
  });

  it('are absent when nobody asks, and empty for a query inside a longer word', async () => {
    const { searcher } = await searchIn(NOTES);
    await searcher.settled();
    expect((await searcher.search({ query: 'roses', limit: 1 })).hits[0]).not.toHaveProperty('parts');
    const { hits } = await searcher.search({ query: 'othin', limit: 1, withScores: true });
    expect(hits).toMatchObject([{ path: 'other.md', parts: { words: [], others: 0 } }]);
  });
});
