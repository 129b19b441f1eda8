/** Differences from an earlier listing, found by one reader or several, in this thread or by a look begun before. */
import { rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PathFilter } from '../../src/notes/path-filter.ts';
import type { Listing } from '../../src/notes/store.ts';
import {
  differences,
  FOLDER,
  NOTHING,
  type RowDifference,
  rowsOf,
  type SharedComparison,
} from '../../src/stores/folder/differences.ts';
import { type FolderStore, openFolderStore } from '../../src/stores/folder/store.ts';
import { firstListing } from '../kit/listing.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';
import { at } from './kit.ts';

const COUNT = 400;
const LONG_AGO = new Date('2026-01-01T00:00:00Z');

async function manyNotes(): Promise<{ folder: string; store: FolderStore; listing: Listing }> {
  const folder = await temporaryFolder(
    Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`f${i % 9}/n${i}.md`, `note ${i}`])),
  );
  // A folder touched a moment ago is looked at again anyway.
  for (let i = 0; i < 9; i++) await utimes(join(folder, `f${i}`), LONG_AGO, LONG_AGO);
  await utimes(folder, LONG_AGO, LONG_AGO);
  const filter = new PathFilter();
  const store = await openFolderStore(folder, { isVisible: (path) => !filter.isHidden(path) });
  return { folder, store, listing: await firstListing(store) };
}

const inTurn = () => undefined;
const numbersOf = (found: readonly RowDifference[]) => found.map(({ row }) => row).sort((a, b) => a - b);

describe('differences', () => {
  it('are none where nothing happened', async () => {
    const { folder, listing } = await manyNotes();
    expect(await differences(folder, rowsOf(listing), inTurn)).toEqual([]);
  });

  it('are what was changed, what is gone and folders whose entries are others', async () => {
    const { folder, listing } = await manyNotes();
    const listed = rowsOf(listing);
    await writeFile(join(folder, 'f1/n1.md'), 'longer than before');
    await rm(join(folder, 'f2/n2.md'));
    await rename(join(folder, 'f3'), join(folder, 'elsewhere'));
    const found = await differences(folder, listed, inTurn);
    const named = found.map(({ row, size }) => [
      listed.folders[row] ?? listed.files[row - listed.folders.length],
      size,
    ]);
    expect(named).toContainEqual(['f1/n1.md', 18]);
    expect(named).toContainEqual(['f2/n2.md', NOTHING]);
    expect(named).toContainEqual(['f2', FOLDER]);
    expect(named).toContainEqual(['f3', NOTHING]);
    expect(named).toContainEqual(['', FOLDER]);
    expect(named.map(([path]) => path)).not.toContain('f1');
    expect(found.filter(({ size }) => size === NOTHING)).toHaveLength(
      2 + listed.files.filter((path) => path.startsWith('f3/')).length,
    );
  });

  it('are found once each when two share the work', async () => {
    const { folder, listing } = await manyNotes();
    const listed = rowsOf(listing);
    for (let i = 0; i < COUNT; i += 3) await rm(join(folder, `f${i % 9}/n${i}.md`));
    const alone = await differences(folder, listed, inTurn);
    const claims = new Int32Array(new SharedArrayBuffer(4));
    const slowly = () => new Promise<void>((resolve) => setImmediate(resolve));
    const [one, other] = await Promise.all([
      differences(folder, listed, slowly, claims),
      differences(folder, listed, slowly, claims),
    ]);
    expect(one.length).toBeGreaterThan(0);
    expect(other.length).toBeGreaterThan(0);
    expect(numbersOf([...one, ...other])).toEqual(numbersOf(alone));
  });
});

describe('a comparison that another thread has begun', () => {
  const begunWith = (
    found: readonly RowDifference[] | undefined,
    more: Partial<SharedComparison> & { root: string },
  ) => {
    const state = { isFinished: false };
    const comparison: SharedComparison = {
      begun: Date.now(),
      finish: async () => {
        state.isFinished = true;
        return found;
      },
      ...more,
    };
    return { comparison, state };
  };

  it('is believed', async () => {
    const { folder, store, listing } = await manyNotes();
    const row = rowsOf(listing).folders.length + listing.paths.indexOf(at('f5/n5.md'));
    const { comparison } = begunWith([{ row, size: 77, modified: 5_000.5 }], { root: folder });
    const { changed, removed, token } = await store.relist(listing, undefined, comparison);
    expect(changed).toMatchObject([{ path: 'f5/n5.md', size: 77, lastModified: 5_000 }]);
    expect(removed).toEqual([]);
    expect(token).toBe(listing.token);
  });

  it('tells that there is nothing to tell', async () => {
    const { folder, store, listing } = await manyNotes();
    const { comparison } = begunWith([], { root: folder });
    expect(await store.relist(listing, undefined, comparison)).toMatchObject({ changed: [], removed: [] });
  });

  it('leads to folders that have to be read', async () => {
    const { folder, store, listing } = await manyNotes();
    await putFile(folder, 'f4/new.md', 'new');
    await rm(join(folder, 'f4/n4.md'));
    const row = rowsOf(listing).folders.indexOf(at('f4'));
    const { comparison } = begunWith([{ row, size: FOLDER, modified: Date.now() }], { root: folder });
    const { changed, removed } = await store.relist(listing, undefined, comparison);
    expect(changed.map(({ path }) => path)).toEqual(['f4/new.md']);
    expect(removed).toEqual(['f4/n4.md']);
  });

  it.each([
    ['was at another place', { root: '/elsewhere' }, false],
    ['is too old', { begun: Date.now() - 5_000 }, false],
    ['comes from a clock that is ahead', { begun: Date.now() + 60_000 }, false],
    ['failed', {}, true],
  ])('is of no use when it %s', async (_, more, isAsked) => {
    const { folder, store, listing } = await manyNotes();
    await writeFile(join(folder, 'f1/n1.md'), 'changed since then');
    const { comparison, state } = begunWith(isAsked ? undefined : [], { root: folder, ...more });
    const { changed } = await store.relist(listing, undefined, comparison);
    expect(state.isFinished).toBe(isAsked);
    expect(changed.map(({ path }) => path)).toEqual(['f1/n1.md']);
  });
});
