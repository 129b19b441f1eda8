/**
 * Prefetches the saved index: while the program is being loaded, a worker reads the index that this start most likely
 * needs, and compares its files with the folder. The main thread takes the prefetch over, and records this start for the
 * next prediction. When the prediction is wrong or the worker fails, the main thread does the work.
 */
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { IndexedFolder } from '../app/services.ts';
import type { Listing } from '../notes/store.ts';
import type { PrefetchedSnapshot } from '../search/index/snapshot.ts';
import {
  type Claims,
  differences,
  type RowDifference,
  type SharedComparison,
} from '../stores/folder/differences.ts';
import type { FolderStore } from '../stores/folder/store.ts';
import { rememberStart } from './start-history.ts';

/** Start data of the folder worker. */
export interface FolderWorkerTask {
  readonly folder: string;
  /** The index to prefetch. */
  readonly ahead?: { readonly indexFile: string; readonly claims: Claims };
}

/** The worker's first message. The second one has the differences. */
export interface PrefetchedFile {
  /** The folder's real path. */
  readonly root: string;
  /** Milliseconds since 1970. */
  readonly begun: number;
  readonly bytes: ArrayBuffer;
}

/** A prefetch in progress. */
interface Prefetch extends IndexedFolder {
  readonly thread: Worker;
  readonly claims: Claims;
  /** Undefined when the worker failed. */
  readonly read: Promise<PrefetchedFile | undefined>;
  readonly found: Promise<readonly RowDifference[] | undefined>;
  readonly isGone: () => boolean;
}

/** Key of the prefetch on `globalThis`, because launcher and program are separate bundles. */
export const PREFETCH = Symbol.for('quire.ahead');

/** Enough for the paths of a million files; a small young generation keeps garbage collections short. */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 4 };

/** A smaller index is read before a worker has started. */
const WORTH_IT_BYTES = 4 * 1024 * 1024;

/** Undefined for a small index, or on a single processor. */
export function startPrefetch(
  threadFile: string,
  { folder, indexFile }: IndexedFolder,
): Prefetch | undefined {
  const size = statSync(indexFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size < WORTH_IT_BYTES || availableParallelism() < 2) return undefined;
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

/** Does not keep the process alive. Undefined where no thread can be started. */
export function startFolderWorker(file: string, workerData: FolderWorkerTask): Worker | undefined {
  try {
    const thread = new Worker(file, { workerData, execArgv: [], env: {}, resourceLimits: LIMITS });
    thread.unref();
    return thread;
  } catch {
    return undefined;
  }
}

/** Late enough not to delay the first calls. */
const REMEMBER_AFTER_MS = 3_000;
/** With more differences, the worker's listing is too old for a watch to begin with. */
const FEW = 500;

const ahead = (globalThis as { [PREFETCH]?: Prefetch })[PREFETCH];
let hasCaughtUp = false;
/** The prefetched listing, and the comparison of its files that the worker has begun; until it is used. */
let begunComparison: { readonly listing: Listing; readonly comparison: SharedComparison } | undefined;

/** Undefined when nothing was prefetched, or another index. */
export async function prefetchedIndexFor(kept: IndexedFolder): Promise<PrefetchedSnapshot | undefined> {
  if (ahead?.folder === kept.folder && ahead.indexFile === kept.indexFile) return headStartOf(ahead);
  void ahead?.thread.terminate();
  rememberLater(kept);
  return undefined;
}

/** The prefetch worker, if its listing is almost current; only once. */
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
  const relist: FolderStore['relist'] = (before, onChanged) => {
    const { listing, comparison } = begunComparison ?? {};
    begunComparison = undefined;
    const isSame = listing?.paths === before.paths && listing.token === before.token;
    return store.relist(before, onChanged, isSame ? comparison : undefined);
  };
  return { ...store, relist };
}

/** Later, when an index has been saved. */
function rememberLater(kept: IndexedFolder): void {
  const remember = () => {
    try {
      rememberStart(process, kept);
    } catch {
      // No index was saved, or the cache folder is not writable: the next start has no prediction.
    }
  };
  process.once('exit', remember);
  setTimeout(remember, REMEMBER_AFTER_MS).unref();
}
