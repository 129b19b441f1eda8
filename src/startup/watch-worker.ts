/** Has a worker watch a folder with very many files, because setting up so many watches takes a while. */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { WatchedFolder } from '../app/services.ts';
import type { PathFilterOptions } from '../notes/path-filter.ts';
import type { Listing, NoteChange, NoteStore, WatchOptions } from '../notes/store.ts';
import { packStrings } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';
import { startFolderWorker } from './prefetch.ts';

/** Message to the worker. */
export interface WatchRequest {
  readonly filter: PathFilterOptions;
  /** Whether temporary files of dead processes may be removed. */
  readonly sweeps: boolean;
  /** The known files; without it, those of the prefetched index. */
  readonly listing?: PackedListing;
}

export interface PackedListing extends Omit<Listing, 'paths'> {
  readonly paths: Uint8Array;
}

/** Message from the worker. */
export interface WatchMessage {
  readonly changes?: readonly NoteChange[];
  /** Any file may have changed. */
  readonly anyChange?: { readonly seesAll: boolean };
  readonly logged?: Parameters<Log>;
  readonly isReady?: true;
}

/** Sources of workers. */
export interface WatchThreads {
  /** Program file of the worker. */
  readonly threadFile: string;
  /** The prefetch worker, which knows the folder already, if there is one. */
  readonly prefetchWorker: () => Worker | undefined;
}

type OnChange = (changes: readonly NoteChange[]) => void;
type Stop = () => Promise<void>;

/** Fewer files are watched before a worker has started. */
const WORTH_A_THREAD = 4_000;

/** The store watches its folder in a worker; with few files, one processor or a failed worker in this thread. */
export function watchInWorker(store: NoteStore, watched: WatchedFolder, threads: WatchThreads): NoteStore {
  const { watch } = store;
  if (!watch || availableParallelism() < 2) return store;
  return {
    ...store,
    watch: async (onChange, options = {}) => {
      const own = () => watch(onChange, options);
      const listing = options.since?.();
      if (!listing || listing.paths.length < WORTH_A_THREAD) return own();
      const { folder, filter, sweeps } = watched;
      const ready = threads.prefetchWorker();
      const thread = ready ?? startFolderWorker(threads.threadFile, { folder });
      if (!thread) return own();
      thread.postMessage({
        filter,
        sweeps,
        listing: !ready ? packed(listing) : undefined,
      } satisfies WatchRequest);
      return watchBy(thread, onChange, options, own);
    },
  };
}

async function watchBy(
  thread: Worker,
  onChange: OnChange,
  { log, onAnyChange }: WatchOptions,
  own: () => Promise<Stop>,
): Promise<Stop> {
  let isStopped = false;
  let instead: Promise<Stop> | undefined;
  await new Promise<void>((resolve, reject) => {
    thread.on('message', ({ changes, anyChange, logged, isReady }: WatchMessage) => {
      if (isStopped) return;
      if (changes) onChange(changes);
      if (anyChange) onAnyChange?.(anyChange.seesAll);
      if (logged) log?.(...logged);
      if (isReady) resolve();
    });
    thread.on('error', (error) =>
      log?.('warn', 'the worker that watches the folder failed; the main thread watches instead', {
        error: error.message,
      }),
    );
    thread.on('exit', () => {
      if (isStopped) return;
      onAnyChange?.(false);
      instead = own();
      instead.then(() => resolve(), reject);
    });
  });
  return async () => {
    isStopped = true;
    await thread.terminate();
    await (await instead)?.();
  };
}

/** Copies the columns, because sending a view sends its whole buffer. */
function packed({ paths, sizes, times, token }: Listing): PackedListing {
  return {
    paths: packStrings(paths),
    sizes: Float64Array.from(sizes),
    times: Float64Array.from(times),
    token,
  };
}
