/** Starts the threads that help to index a folder with very many notes. */
import { availableParallelism } from 'node:os';
import type { IndexWorker } from '../search/sync/index-worker.ts';
import type { Log } from '../shared/log.ts';
import { listingThread, startIndexThread } from './listing-ahead.ts';
import type { IndexJob } from './workers/index.ts';

interface IndexWorkerOptions {
  /** The worker's program. */
  readonly file: string;
  readonly folder: string;
  readonly log: Log;
}

/** This thread takes over what they make, and could not keep up with more. */
const MOST_THREADS = 4;

/** One thread less than can run at once. Undefined where a second thread would only take turns with the first. */
export function startIndexWorker(options: IndexWorkerOptions): IndexWorker | undefined {
  const count = Math.min(MOST_THREADS, availableParallelism() - 1);
  if (count < 1) return undefined;
  const threads = Array.from({ length: count }, () => startThread(options));
  const ask = <T>(job: IndexJob): Promise<T | undefined> => {
    const [least] = threads.sort((a, b) => a.waiting() - b.waiting());
    return least!.ask<T>(job);
  };
  return {
    threads: count,
    get free() {
      return threads.filter(({ isListing }) => !isListing()).length;
    },
    index: (notes) => ask({ notes }),
    slice: (notes, words) => ask({ notes, words }),
    end: () => {
      for (const thread of threads) thread.end();
    },
  };
}

function startThread({ file, folder, log }: IndexWorkerOptions) {
  const ahead = listingThread(folder);
  const thread = ahead?.thread ?? startIndexThread(file, { folder });
  const asked = new Map<number, (made: unknown) => void>();
  let last = 0;
  let isGone = false;
  thread.on('message', ({ id, made }: { id?: number; made?: unknown }) => {
    if (id === undefined) return;
    asked.get(id)?.(made);
    asked.delete(id);
  });
  thread.on('error', (error) =>
    log('warn', 'the thread that helps to index failed', { error: error.message }),
  );
  thread.on('exit', () => {
    isGone = true;
    for (const answer of asked.values()) answer(undefined);
    asked.clear();
  });
  return {
    isListing: () => ahead?.isListing() ?? false,
    /** One that is gone answers at once. */
    waiting: () => (isGone ? Number.POSITIVE_INFINITY : asked.size),
    ask: <T>(job: IndexJob) =>
      new Promise<T | undefined>((resolve) => {
        if (isGone) return resolve(undefined);
        asked.set(++last, (made) => resolve(made as T | undefined));
        thread.postMessage({ id: last, job });
      }),
    end: () => void thread.terminate(),
  };
}
