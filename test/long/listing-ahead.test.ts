/** A folder that was never served is listed while the program loads: the listing is the one its store would make. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PathFilter } from '../../src/notes/path-filter.ts';
import type { ListingChanges } from '../../src/notes/store.ts';
import { LISTING_AHEAD, startListing } from '../../src/startup/listing-ahead.ts';
import { openFolderStore } from '../../src/stores/folder/store.ts';
import { startBinary } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';

const THREAD = fileURLToPath(new URL('../../dist/quire-indexer.cjs', import.meta.url));
const MANY = 2_300;
const NOTHING = { paths: [], sizes: [], times: [] };

async function folderOf(count: number): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of ['.obsidian', 'node_modules', ...Array.from({ length: 40 }, (_, i) => `f${i}`)])
    await mkdir(join(folder, name));
  await writeFile(join(folder, '.obsidian/app.json'), '{}');
  await writeFile(join(folder, 'node_modules/hidden.md'), 'hidden');
  await writeFile(join(folder, 'Zephyr.md'), 'a zephyrquagga');
  await Promise.all(
    Array.from({ length: count }, (_, i) => writeFile(join(folder, `f${i % 40}/n${i}.md`), `note ${i}`)),
  );
  return folder;
}

/** The store, in a program that was started with this listing ahead. */
async function opened(folder: string, ahead: unknown, ignoredPatterns: string[] = []) {
  vi.resetModules();
  Object.assign(globalThis, { [LISTING_AHEAD]: ahead });
  const { withListingAhead } = await import('../../src/startup/listing-ahead.ts');
  const filter = new PathFilter({ ignoredPatterns });
  const store = await openFolderStore(folder, { isVisible: (path) => !filter.isHidden(path) });
  const relist = vi.fn(store.relist);
  const watched = { folder, filter: { ignoredPatterns }, sweeps: true };
  return { own: store, relist, store: withListingAhead({ ...store, relist }, watched) };
}

function started(folder: string, argv = [folder]) {
  const ahead = startListing(THREAD, ['node', 'quire', ...argv]);
  if (ahead) onTestFinished(async () => void (await ahead.thread.terminate()));
  return ahead;
}

function sorted({ changed, removed }: ListingChanges) {
  return { changed: changed.toSorted((a, b) => (a.path < b.path ? -1 : 1)), removed };
}

afterEach(() => {
  Object.assign(globalThis, { [LISTING_AHEAD]: undefined });
});

describe('a listing ahead', () => {
  it('is what the store lists, and lets the next listing find changes', async () => {
    const folder = await folderOf(MANY);
    const { own, store, relist } = await opened(folder, started(folder));
    const first = await store.relist(NOTHING);
    expect(relist).not.toHaveBeenCalled();
    expect(sorted(first)).toEqual(sorted(await own.relist(NOTHING)));
    expect(first.changed).toHaveLength(MANY + 1);
    const listing = {
      paths: first.changed.map(({ path }) => path),
      sizes: first.changed.map(({ size }) => size),
      times: first.changed.map(({ lastModified }) => lastModified),
      ...(first.token && { token: first.token }),
    };
    await writeFile(join(folder, 'f1/new.md'), 'new');
    const next = await store.relist(listing);
    expect(next.changed.map(({ path }) => path)).toEqual(['f1/new.md']);
    expect(relist).toHaveBeenCalledTimes(1);
  });

  it('is told piece by piece to whoever wants it so', async () => {
    const folder = await folderOf(MANY);
    const ahead = started(folder);
    // The thread has other work meanwhile.
    for (let id = 1; id < 20; id++) ahead?.thread.postMessage({ id, job: { notes: [] } });
    const { own, store } = await opened(folder, ahead);
    const told: ListingChanges['changed'][] = [];
    const { changed, removed } = await store.relist(NOTHING, (found) => told.push(found));
    expect(told.length).toBeGreaterThan(2);
    const all = sorted({ changed: [...told.flat(), ...changed], removed });
    expect(all).toEqual(sorted(await own.relist(NOTHING)));
  });

  it('is not used for another choice of files, another folder, or when its thread fails', async () => {
    const folder = await folderOf(MANY);
    const ahead = started(folder)!;
    const choosy = await opened(folder, ahead, ['f3']);
    expect((await choosy.store.relist(NOTHING)).changed.some(({ path }) => path.startsWith('f3/'))).toBe(
      false,
    );
    const other = await opened(await folderOf(3), ahead);
    expect((await other.store.relist(NOTHING)).changed).toHaveLength(4);
    const broken = startListing(join(folder, 'Zephyr.md'), ['node', 'quire', folder]);
    const alone = await opened(folder, broken);
    expect((await alone.store.relist(NOTHING)).changed).toHaveLength(MANY + 1);
    expect(alone.relist).toHaveBeenCalledTimes(1);
  });

  it('is begun for a large folder that the arguments name', async () => {
    const [large, small] = [await folderOf(MANY), await temporaryFolder({ 'a.md': 'one note' })];
    expect(started(large)?.folder).toBe(large);
    expect(started(large, ['vault', '--vault-path', large, '--read-only'])?.folder).toBe(large);
    for (const argv of [[small], [], ['--config', large], ['doctor', large], [join(large, 'nowhere')]])
      expect(started(large, argv), argv.join(' ')).toBeUndefined();
  });

  it('answers the first search of a new user', async () => {
    const folder = await folderOf(MANY);
    const server = await startBinary(folder);
    const answer = await server.client.callTool({
      name: 'search_notes',
      arguments: { query: 'zephyrquagga' },
    });
    expect(JSON.stringify(answer.content)).toContain('Zephyr.md');
  });
});
