/** Starts the thread that helps to index a folder with very many notes. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { PackedIndex } from '../search/index/note-index.ts';
import type { IndexWorker } from '../search/sync/index-worker.ts';
import type { Log } from '../shared/log.ts';

interface IndexWorkerOptions {
  /** The worker's program. */
  readonly file: string;
  readonly folder: string;
  readonly log: Log;
}

/** More than a batch of notes ever needs; without these the thread would rather take memory than clean up. */
const LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };

/** Undefined where a second thread would only take turns with the first. */
export function startIndexWorker({ file, folder, log }: IndexWorkerOptions): IndexWorker | undefined {
  if (availableParallelism() < 2) return undefined;
  const thread = new Worker(file, { workerData: { folder }, execArgv: [], env: {}, resourceLimits: LIMITS });
  const asked: ((made: PackedIndex | undefined) => void)[] = [];
  let isGone = false;
  thread.unref();
  thread.on('message', (made: PackedIndex) => asked.shift()?.(made));
  thread.on('error', (error) =>
    log('warn', 'the thread that helps to index failed', { error: error.message }),
  );
  thread.on('exit', () => {
    isGone = true;
    for (const answer of asked.splice(0)) answer(undefined);
  });
  return {
    index: (notes) =>
      new Promise((resolve) => {
        if (isGone) return resolve(undefined);
        asked.push(resolve);
        thread.postMessage(notes);
      }),
    end: () => void thread.terminate(),
  };
}
