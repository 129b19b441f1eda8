/**
 * Begins before the program is loaded: a thread reads the index that the notes most likely have, and looks
 * which of its files are not as they were. It is only ever a saving: when the guess was wrong, or the thread
 * fails, everything is done as without it.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { IndexedFolder } from '../app/services.ts';
import type { Listing, ListingChanges } from '../notes/store.ts';
import type { PrefetchedSnapshot } from '../search/index/snapshot.ts';
import {
  type Claims,
  differences,
  type RowDifference,
  type SharedComparison,
} from '../stores/folder/differences.ts';
import type { FolderStore } from '../stores/folder/store.ts';
import { predictStart, rememberStart } from './start-history.ts';

/** What a folder's thread is told. */
export interface FolderWorkerTask {
  readonly folder: string;
  /** Where it should begin by itself. */
  readonly ahead?: { readonly indexFile: string; readonly claims: Claims };
}

/** What it says first. What differs comes after that. */
export interface PrefetchedFile {
  /** The folder's real path. */
  readonly root: string;
  /** Milliseconds since 1970. */
  readonly begun: number;
  readonly bytes: ArrayBuffer;
}

/** What has been begun. */
export interface Prefetch extends IndexedFolder {
  readonly thread: Worker;
  readonly claims: Claims;
  /** Undefined when it failed. */
  readonly read: Promise<PrefetchedFile | undefined>;
  readonly found: Promise<readonly RowDifference[] | undefined>;
  readonly isGone: () => boolean;
}

/** Where the launcher leaves it for the program, which is a bundle of its own. */
export const PREFETCH = Symbol.for('quire.ahead');

/** More than the paths of a million files need, and little to clean up at a time. */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 4 };

/** Undefined where nothing is known, or a second thread would only take turns with the first. */
export function startPrefetch(threadFile: string): Prefetch | undefined {
  const guess = predictStart(process);
  if (!guess || availableParallelism() < 2) return undefined;
  const { folder, indexFile } = guess;
  const claims = new Int32Array(new SharedArrayBuffer(4));
  const thread = startFolderWorker(threadFile, { folder, ahead: { indexFile, claims } });
  if (!thread) return undefined;
  const said: ((message: never) => void)[] = [];
  const next = <Message>() => new Promise<Message | undefined>((resolve) => said.push(resolve));
  thread.on('message', (message: unknown) => said.shift()?.(message as never));
  thread.on('error', () => {});
  let isGone = false;
  thread.on('exit', () => {
    isGone = true;
    for (const resolve of said.splice(0)) resolve(undefined as never);
  });
  const [read, found] = [next<PrefetchedFile>(), next<RowDifference[]>()];
  return { folder, indexFile, thread, claims, read, found, isGone: () => isGone };
}

/** Nobody waits for it to end. Undefined where no thread can be had. */
export function startFolderWorker(file: string, workerData: FolderWorkerTask): Worker | undefined {
  try {
    const thread = new Worker(file, { workerData, execArgv: [], env: {}, resourceLimits: LIMITS });
    thread.unref();
    return thread;
  } catch {
    return undefined;
  }
}

/** What the launcher has begun with, for the notes that are served; and what it should begin with next time. */

/** Long enough to be out of the way of the first calls. */
const REMEMBER_AFTER_MS = 3_000;
/** Where more is not as it was, a watch should not begin with how it was. */
const FEW = 500;

const ahead = (globalThis as { [PREFETCH]?: Prefetch })[PREFETCH];
let hasCaughtUp = false;
/** The prefetched listing, and the comparison of its files that the worker has begun; until it is used. */
let begunComparison: { readonly listing: Listing; readonly comparison: SharedComparison } | undefined;

/** Undefined when it has begun with nothing, or with something else. */
export async function prefetchedIndexFor(kept: IndexedFolder): Promise<PrefetchedSnapshot | undefined> {
  if (ahead?.folder === kept.folder && ahead.indexFile === kept.indexFile) return headStartOf(ahead);
  void ahead?.thread.terminate();
  rememberLater(kept);
  return undefined;
}

/** The thread that looked, when it knows almost all there is; once. */
export function prefetchWorker(): Worker | undefined {
  if (!hasCaughtUp || ahead?.isGone()) return undefined;
  hasCaughtUp = false;
  return ahead?.thread;
}

async function headStartOf({ read, claims, found }: Prefetch): Promise<PrefetchedSnapshot | undefined> {
  const ready = await read;
  if (!ready) return undefined;
  const { root, begun, bytes } = ready;
  const finish: SharedComparison['finish'] = async (listed, turns) => {
    const here = await differences(root, listed, turns, claims);
    const there = await found;
    if (!there) return undefined;
    hasCaughtUp = here.length + there.length < FEW;
    return [...here, ...there];
  };
  return {
    bytes: Buffer.from(bytes),
    onListing: (listing) => {
      begunComparison = { listing, comparison: { root, begun, finish } };
    },
  };
}

/** The store, which shares its first comparison with the worker if that began with the same listing. */
export function withPrefetchedComparison(store: FolderStore): FolderStore {
  const relist = (before: Listing): Promise<ListingChanges> => {
    const { listing, comparison } = begunComparison ?? {};
    begunComparison = undefined;
    const isSame = listing?.paths === before.paths && listing.token === before.token;
    return store.relist(before, isSame ? comparison : undefined);
  };
  return { ...store, relist };
}

/** Once there is an index. */
function rememberLater(kept: IndexedFolder): void {
  const remember = () => {
    try {
      rememberStart(process, kept);
    } catch {
      // No index was saved, or nothing can be: the next start is like this one.
    }
  };
  process.once('exit', remember);
  setTimeout(remember, REMEMBER_AFTER_MS).unref();
}
