/** What is not as a listing says, found by one or by several, here or by somebody who began before. */
import { rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type {
  Listing,
  ListingCheck,
  ListingColumns,
  ListingDifference,
  NoteStore,
} from '../../src/notes/store.ts';
import { differences, FOLDER, NOTHING } from '../../src/stores/folder/differences.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';
import { at, openNotes } from './kit.ts';

const COUNT = 400;
const LONG_AGO = new Date('2026-01-01T00:00:00Z');

async function manyNotes(): Promise<{ folder: string; store: NoteStore; listing: Listing }> {
  const folder = await temporaryFolder(
    Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`f${i % 9}/n${i}.md`, `note ${i}`])),
  );
  // A folder touched a moment ago is looked at again anyway.
  for (let i = 0; i < 9; i++) await utimes(join(folder, `f${i}`), LONG_AGO, LONG_AGO);
  await utimes(folder, LONG_AGO, LONG_AGO);
  const store = await openNotes(folder);
  const { changed, remarked } = await store.relist!({ files: [], marks: new Map() });
  return { folder, store, listing: { files: changed, marks: new Map(remarked) as Map<string, number> } };
}

function columnsOf({ files, marks }: Listing): ListingColumns {
  return {
    folders: [...marks.keys()],
    marks: [...marks.values()],
    files: files.map(({ path }) => path),
    sizes: files.map(({ size }) => size),
    times: files.map(({ lastModified }) => lastModified),
  };
}

const inTurn = () => undefined;
const rowsOf = (found: readonly ListingDifference[]) => found.map(({ row }) => row).sort((a, b) => a - b);

describe('differences', () => {
  it('are none where nothing happened', async () => {
    const { folder, listing } = await manyNotes();
    expect(await differences(folder, columnsOf(listing), inTurn)).toEqual([]);
  });

  it('are what was changed, what is gone and folders whose entries are others', async () => {
    const { folder, listing } = await manyNotes();
    const columns = columnsOf(listing);
    await writeFile(join(folder, 'f1/n1.md'), 'longer than before');
    await rm(join(folder, 'f2/n2.md'));
    await rename(join(folder, 'f3'), join(folder, 'elsewhere'));
    const found = await differences(folder, columns, inTurn);
    const named = found.map(({ row, size }) => [
      columns.folders[row] ?? columns.files[row - columns.folders.length],
      size,
    ]);
    expect(named).toContainEqual(['f1/n1.md', 18]);
    expect(named).toContainEqual(['f2/n2.md', NOTHING]);
    expect(named).toContainEqual(['f2', FOLDER]);
    expect(named).toContainEqual(['f3', NOTHING]);
    expect(named).toContainEqual(['', FOLDER]);
    expect(named.map(([path]) => path)).not.toContain('f1');
    expect(found.filter(({ size }) => size === NOTHING)).toHaveLength(
      2 + columns.files.filter((path) => path.startsWith('f3/')).length,
    );
  });

  it('are found once each when two share the work', async () => {
    const { folder, listing } = await manyNotes();
    const columns = columnsOf(listing);
    for (let i = 0; i < COUNT; i += 3) await rm(join(folder, `f${i % 9}/n${i}.md`));
    const alone = await differences(folder, columns, inTurn);
    const claims = new Int32Array(new SharedArrayBuffer(4));
    const slowly = () => new Promise<void>((resolve) => setImmediate(resolve));
    const [one, other] = await Promise.all([
      differences(folder, columns, slowly, claims),
      differences(folder, columns, slowly, claims),
    ]);
    expect(one.length).toBeGreaterThan(0);
    expect(other.length).toBeGreaterThan(0);
    expect(rowsOf([...one, ...other])).toEqual(rowsOf(alone));
  });
});

describe('a look that somebody has begun', () => {
  const looked = (
    found: readonly ListingDifference[] | undefined,
    more: Partial<ListingCheck> & { root: string },
  ) => {
    const state = { isFinished: false };
    const look: ListingCheck = {
      begun: Date.now(),
      finish: async () => {
        state.isFinished = true;
        return found;
      },
      ...more,
    };
    return { look, state };
  };

  it('is believed', async () => {
    const { folder, store, listing } = await manyNotes();
    const row = listing.marks.size + listing.files.findIndex(({ path }) => path === at('f5/n5.md'));
    const { look } = looked([{ row, size: 77, modified: 5_000.5 }], { root: folder });
    const { changed, removed, remarked } = await store.relist!({ ...listing, look });
    expect(changed).toMatchObject([{ path: 'f5/n5.md', size: 77, lastModified: 5_000 }]);
    expect(removed).toEqual([]);
    expect(remarked!.size).toBe(0);
  });

  it('tells that there is nothing to tell', async () => {
    const { folder, store, listing } = await manyNotes();
    const { look } = looked([], { root: folder });
    expect(await store.relist!({ ...listing, look })).toMatchObject({ changed: [], removed: [] });
  });

  it('leads to folders that have to be read', async () => {
    const { folder, store, listing } = await manyNotes();
    await putFile(folder, 'f4/new.md', 'new');
    await rm(join(folder, 'f4/n4.md'));
    const row = [...listing.marks.keys()].indexOf('f4');
    const { look } = looked([{ row, size: FOLDER, modified: Date.now() }], { root: folder });
    const { changed, removed } = await store.relist!({ ...listing, look });
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
    const { look, state } = looked(isAsked ? undefined : [], { root: folder, ...more });
    const { changed } = await store.relist!({ ...listing, look });
    expect(state.isFinished).toBe(isAsked);
    expect(changed.map(({ path }) => path)).toEqual(['f1/n1.md']);
  });
});
