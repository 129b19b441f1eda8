/**
 * Begins before the program is loaded: a thread reads the index that the notes most likely have, and looks
 * which of its files are not as they were. It is only ever a saving: when the guess was wrong, or the thread
 * fails, everything is done as without it.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ListingDifference } from '../notes/store.ts';
import type { Claims } from '../stores/folder/differences.ts';
import { type IndexedFolder, predictStart } from './start-history.ts';

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
  readonly found: Promise<readonly ListingDifference[] | undefined>;
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
  const [read, found] = [next<PrefetchedFile>(), next<ListingDifference[]>()];
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
