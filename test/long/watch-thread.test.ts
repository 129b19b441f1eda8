/** Very many files are watched by a thread; the changes reported are those of a watch without a thread. */
import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PathFilter } from '../../src/notes/path-filter.ts';
import type { Listing, NoteChange, NoteStore, WatchOptions } from '../../src/notes/store.ts';
import type { Log } from '../../src/shared/log.ts';
import { type WatchThreads, watchInWorker } from '../../src/startup/watch-worker.ts';
import { openFolderStore } from '../../src/stores/folder/store.ts';
import { firstListing } from '../kit/listing.ts';
import { startBinary } from '../kit/server.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';
import { searching } from '../search/kit.ts';

const THREAD = fileURLToPath(new URL('../../dist/quire-folder.cjs', import.meta.url));
const MANY = 4_100;
const LONG_AGO = new Date('2026-01-01T00:00:00Z');
const SOON = { timeout: 40_000, interval: 20 };

const pathOf = (note: number) => `f${note % 60}/n${note}.md`;

async function folderOf(count: number, textOf = (note: number) => `note ${note}`): Promise<string> {
  const folder = await temporaryFolder();
  for (let i = 0; i < 60; i++) await mkdir(join(folder, `f${i}`));
  await Promise.all(Array.from({ length: count }, (_, i) => writeFile(join(folder, pathOf(i)), textOf(i))));
  return folder;
}

interface WatchSetup {
  readonly folder: string;
  readonly store: NoteStore;
  readonly own: ReturnType<typeof vi.fn>;
  readonly listing: () => Promise<Listing>;
  /** Begins to watch, from a listing; resolves when that is set up. */
  readonly watch: (listing: Listing, log?: Log) => Promise<{ seen: NoteChange[]; stop: () => Promise<void> }>;
}

async function watched(count: number, more: Partial<WatchThreads> = {}): Promise<WatchSetup> {
  const folder = await folderOf(count);
  const shown = { ignoredPatterns: ['secret*'] };
  const filter = new PathFilter(shown);
  const opened = await openFolderStore(folder, { isVisible: (path) => !filter.isHidden(path) });
  const own = vi.fn(opened.watch!);
  const store = watchInWorker(
    { ...opened, watch: own },
    { folder, filter: shown, sweeps: true },
    { threadFile: THREAD, prefetchWorker: () => undefined, ...more },
  );
  const listing = () => firstListing(store);
  const watch: WatchSetup['watch'] = async (known, log) => {
    const seen: NoteChange[] = [];
    const options: WatchOptions = { since: () => known, ...(log && { log }) };
    const stop = await store.watch!((changes) => seen.push(...changes), options);
    onTestFinished(stop);
    return { seen, stop };
  };
  return { folder, store, own, listing, watch };
}

/** A program for the thread that is not ours. */
async function program(text: string): Promise<string> {
  const folder = await temporaryFolder({ 'thread.cjs': text });
  return join(folder, 'thread.cjs');
}

describe('a folder with very many files', () => {
  it('tells what others do', async () => {
    const { folder, own, listing, watch } = await watched(MANY);
    const { seen } = await watch(await listing());
    await writeFile(join(folder, pathOf(5)), 'changed');
    await putFile(folder, 'new/deep/added.md', 'added');
    await rm(join(folder, pathOf(7)));
    await writeFile(join(folder, 'aside'), 'renamed over');
    await rename(join(folder, 'aside'), join(folder, pathOf(9)));
    await rename(join(folder, 'f3'), join(folder, 'moved'));
    await putFile(folder, 'secret.md', 'not shown');
    await vi.waitFor(() => {
      expect(seen).toContainEqual({ kind: 'changed', path: pathOf(5) });
      expect(seen).toContainEqual({ kind: 'added', path: 'new/deep/added.md' });
      expect(seen).toContainEqual({ kind: 'removed', path: pathOf(7) });
      expect(seen).toContainEqual({ kind: 'changed', path: pathOf(9) });
      expect(seen).toContainEqual({ kind: 'removed', path: pathOf(3) });
      expect(seen).toContainEqual({ kind: 'added', path: 'moved/n3.md' });
    }, SOON);
    expect(seen.map(({ path }) => path)).not.toContain('secret.md');
    expect(own).not.toHaveBeenCalled();
  });

  it('tells what happened since it was listed, each once', async () => {
    const { folder, listing, watch } = await watched(MANY);
    const known = await listing();
    await writeFile(join(folder, pathOf(5)), 'changed since');
    await utimes(join(folder, pathOf(6)), LONG_AGO, LONG_AGO);
    await rm(join(folder, pathOf(7)));
    await putFile(folder, 'f8/added.md', 'added');
    await rm(join(folder, 'f9'), { recursive: true });
    const { seen } = await watch(known);
    const changes = seen.map(({ kind, path }) => `${kind} ${path}`).sort();
    const inF9 = known.paths.filter((path) => path.startsWith('f9/')).map((path) => `removed ${path}`);
    expect(changes).toEqual(
      [
        `changed ${pathOf(5)}`,
        `changed ${pathOf(6)}`,
        `removed ${pathOf(7)}`,
        'added f8/added.md',
        ...inF9,
      ].sort(),
    );
  });

  it('is followed through a burst, at whatever moment that comes', { repeats: 2 }, async ({ task }) => {
    const { folder, store } = await watched(MANY);
    const { searcher, paths } = await searching(store);
    searcher.start();
    await searcher.settled();
    await sleep(100 * (task.result?.repeatCount ?? 0));
    await Promise.all(
      Array.from({ length: 300 }, async (_, i) => {
        await rm(join(folder, pathOf(i)));
        if (i % 3 !== 0) await writeFile(join(folder, pathOf(i)), `branch ${i}`);
      }),
    );
    await rename(join(folder, 'f59'), join(folder, 'moved'));
    const count = async (query: string) => (await paths(query, { limit: 500 })).length;
    await vi.waitFor(async () => expect(await count('branch')).toBe(200), SOON);
    await vi.waitFor(async () => expect(await paths('n3059')).toEqual(['moved/n3059.md']), SOON);
    expect(await paths('n0')).not.toContain(pathOf(0));
  });

  it('tells nothing once it is stopped', async () => {
    const { folder, listing, watch } = await watched(MANY);
    const { seen, stop } = await watch(await listing());
    await stop();
    await writeFile(join(folder, pathOf(5)), 'changed');
    await sleep(300);
    expect(seen).toEqual([]);
  });

  it.each([
    ['cannot be started', 'throw new Error("no")'],
    ['ends at once', 'process.exit(0)'],
  ])('is watched without a thread when that %s', async (_, text) => {
    const { folder, own, listing, watch } = await watched(MANY, { threadFile: await program(text) });
    const { seen } = await watch(await listing());
    expect(own).toHaveBeenCalledTimes(1);
    await writeFile(join(folder, pathOf(5)), 'changed');
    await vi.waitFor(() => expect(seen).toContainEqual({ kind: 'changed', path: pathOf(5) }), SOON);
  });

  it('goes on without a thread when that dies, from what is known by then', async () => {
    const dying = await program(`
      const { parentPort } = require('node:worker_threads');
      parentPort.once('message', () => {
        parentPort.postMessage({ isReady: true });
        parentPort.once('message', () => {});
        setTimeout(() => { throw new Error('dead'); }, 200);
      });`);
    const { folder, own, listing, watch } = await watched(MANY, { threadFile: dying });
    const logged: string[] = [];
    const { seen } = await watch(
      await listing(),
      (level, message) => void logged.push(`${level} ${message}`),
    );
    expect(own).not.toHaveBeenCalled();
    await writeFile(join(folder, pathOf(5)), 'changed before it died');
    await vi.waitFor(() => expect(own).toHaveBeenCalledTimes(1), SOON);
    await vi.waitFor(() => expect(seen).toContainEqual({ kind: 'changed', path: pathOf(5) }), SOON);
    await writeFile(join(folder, pathOf(6)), 'changed after');
    await vi.waitFor(() => expect(seen).toContainEqual({ kind: 'changed', path: pathOf(6) }), SOON);
    expect(logged).toEqual([
      'warn the worker that watches the folder failed; the main thread watches instead',
    ]);
  });
});

it('needs no thread for few files', async () => {
  const { own, listing, watch } = await watched(50, { threadFile: '/nowhere.cjs' });
  await watch(await listing());
  expect(own).toHaveBeenCalledTimes(1);
});

it('is done by the thread that was ahead, when there was one', { timeout: 60_000 }, async () => {
  const words = (note: number) =>
    Array.from({ length: 20 }, (_, i) => `w${note.toString(36)}q${i}`).join(' ');
  const folder = await folderOf(MANY, (note) => `own${note}x ${words(note)}\n`);
  const cache = await temporaryFolder();
  const serve = async () => {
    const env = { XDG_CACHE_HOME: cache, QUIRE_STARTUP: '' };
    const server = await startBinary(folder, ['--log-level', 'debug'], { env });
    const find = async (query: string): Promise<string[]> =>
      (await server.call('search_notes', { query })).json.map(({ p }: { p: string }) => p);
    return { ...server, find };
  };
  const first = await serve();
  await vi.waitFor(async () => expect(await first.find('own7x')).toEqual([pathOf(7)]), SOON);
  await vi.waitFor(() => expect(first.stderr()).toContain('"indexed"'), { timeout: 40_000, interval: 50 });
  await first.client.close();
  await rm(join(folder, pathOf(2)));
  await writeFile(join(folder, pathOf(3)), 'meanwhile zebrafinch');
  const second = await serve();
  expect(await second.find('zebrafinch')).toEqual([pathOf(3)]);
  await writeFile(join(folder, pathOf(4)), 'foreign quagga');
  await rename(join(folder, 'f5'), join(folder, 'moved'));
  await vi.waitFor(async () => {
    expect(await second.find('quagga')).toEqual([pathOf(4)]);
    expect(await second.find('own5x')).toEqual(['moved/n5.md']);
    expect(await second.find('own4x')).toEqual([]);
  }, SOON);
  expect(await second.find('own2x')).toEqual([]);
  expect(second.stderr()).toContain('the saved index was read ahead');
  expect(second.stderr()).not.toContain('"warn"');
});
