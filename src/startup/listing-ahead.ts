/**
 * Lists a folder that was never served before: while the program is being loaded, the thread that will help to index the
 * folder lists it. When the guess of the folder is wrong or the thread fails, the main thread does the work.
 */
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { WatchedFolder } from '../app/services.ts';
import { isAlwaysHidden, type NotePath } from '../notes/path.ts';
import type { ListingChanges, ListingToken, NoteMeta } from '../notes/store.ts';
import { unpackStrings } from '../shared/ids.ts';
import type { FolderStore } from '../stores/folder/store.ts';
import { toMeta } from '../stores/folder/walk.ts';
import type { PackedListing } from './watch-worker.ts';

/** Start data of the index worker. */
export interface IndexWorkerTask {
  readonly folder: string;
  /** Whether it begins by listing the folder; its first messages are then pieces of the listing. */
  readonly lists?: boolean;
}

export interface ListingPiece extends PackedListing {
  /** With the last one comes the token. */
  readonly isLast?: true;
}

interface ListingAhead {
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly begun: number;
  readonly thread: Worker;
  /** Calls `take` for each piece, those of before included; resolves to whether all came. */
  readonly pieces: (take: (piece: ListingPiece) => void) => Promise<boolean>;
  readonly isListing: () => boolean;
  readonly isGone: () => boolean;
}

/** Key on `globalThis`, because launcher and program are separate bundles. */
export const LISTING_AHEAD = Symbol.for('quire.listing');

/** More than a batch of notes ever needs; without these the thread would rather take memory than clean up. */
const LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };

export function startIndexThread(file: string, workerData: IndexWorkerTask): Worker {
  const thread = new Worker(file, { workerData, execArgv: [], env: {}, resourceLimits: LIMITS });
  thread.unref();
  return thread;
}

/** Undefined when the arguments name no folder with very many files, or on a single processor. */
export function startListing(threadFile: string, argv: readonly string[]): ListingAhead | undefined {
  const folder = folderIn(argv);
  if (folder === undefined || availableParallelism() < 2 || !isLarge(folder)) return undefined;
  const begun = Date.now();
  try {
    const thread = startIndexThread(threadFile, { folder, lists: true });
    let isGone = false;
    let isListing = true;
    const came: ListingPiece[] = [];
    let take: (piece: ListingPiece) => void = (piece) => came.push(piece);
    const isComplete = new Promise<boolean>((resolve) => {
      const onMessage = (message: ListingPiece | { readonly id: number }) => {
        // An answer to a job that came meanwhile.
        if ('id' in message) return;
        take(message);
        if (!message.isLast) return;
        isListing = false;
        thread.off('message', onMessage);
        resolve(true);
      };
      thread.on('message', onMessage);
      thread.on('error', () => {});
      thread.on('exit', () => {
        isGone = true;
        isListing = false;
        resolve(false);
      });
    });
    const pieces: ListingAhead['pieces'] = (taker) => {
      for (const piece of came.splice(0)) taker(piece);
      take = taker;
      return isComplete;
    };
    return { folder, begun, thread, pieces, isListing: () => isListing, isGone: () => isGone };
  } catch {
    return undefined;
  }
}

function folderIn([, , ...words]: readonly string[]): string | undefined {
  const flag = words.indexOf('--vault-path');
  const [first = '-'] = flag < 0 ? words : words.slice(flag + 1);
  return first.startsWith('-') ? undefined : resolve(first);
}

/** A folder with fewer is listed before a thread has started. */
const MANY_ENTRIES = 2_000;
/** Enough for a thousand folders, unless they are on a slow disk; then a thread is of use whatever they hold. */
const LOOK_MS = 40;

/** By its first folders. */
function isLarge(folder: string): boolean {
  const latest = performance.now() + LOOK_MS;
  const folders = [folder];
  let files = 0;
  for (const at of folders) {
    if (performance.now() > latest) return true;
    try {
      for (const entry of readdirSync(at, { withFileTypes: true })) {
        if (entry.isFile()) files++;
        else if (entry.isDirectory() && !isAlwaysHidden(entry.name)) folders.push(join(at, entry.name));
      }
    } catch {
      // Whoever lists the folder says what is wrong with it.
    }
    if (files + folders.length > MANY_ENTRIES) return true;
  }
  return false;
}

/** Maximum age of a listing that was begun elsewhere. */
const FRESH_MS = 1_500;

let ahead = (globalThis as { [LISTING_AHEAD]?: ListingAhead })[LISTING_AHEAD];

/** The store, whose first listing may be the one that was begun ahead. */
export function withListingAhead(store: FolderStore, { folder, filter }: WatchedFolder): FolderStore {
  const relist: FolderStore['relist'] = async (before, onChanged, comparison) => {
    const isFirst = before.paths.length === 0 && before.token === undefined;
    const isSame = ahead?.folder === resolve(folder) && (filter.ignoredPatterns ?? []).length === 0;
    const isFresh = ahead !== undefined && Date.now() - ahead.begun < FRESH_MS;
    const listed = ahead && isFirst && isSame && isFresh ? await takeOver(ahead, onChanged) : undefined;
    return listed ?? store.relist(before, onChanged, comparison);
  };
  return { ...store, relist };
}

/** Undefined when the thread failed. */
async function takeOver(
  { pieces }: ListingAhead,
  onChanged?: (changed: readonly NoteMeta[]) => void,
): Promise<ListingChanges | undefined> {
  const changed: NoteMeta[] = [];
  const tell = onChanged ?? ((found) => void changed.push(...found));
  let token: ListingToken | undefined;
  const isComplete = await pieces((piece) => {
    token = piece.token;
    tell(filesOf(piece));
  });
  return isComplete ? { changed, removed: [], ...(token && { token }) } : undefined;
}

/** The thread that listed the folder, to help with it; only once. */
export function listingThread(folder: string): Pick<ListingAhead, 'thread' | 'isListing'> | undefined {
  if (ahead?.folder !== resolve(folder) || ahead.isGone()) return undefined;
  const own = ahead;
  ahead = undefined;
  return own;
}

function filesOf({ paths, sizes, times }: PackedListing): NoteMeta[] {
  const files = unpackStrings(paths, sizes.length) as NotePath[];
  return files.map((path, row) => toMeta(path, { size: sizes[row]!, mtimeMs: times[row]! }));
}
