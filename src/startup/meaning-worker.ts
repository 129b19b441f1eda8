/** Learns the meaning of terms in a thread of its own, which ends when it is done. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { TermMatrix, TermVectors } from '../search/meaning/term-vectors.ts';

const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

/** Undefined where a second thread would only take turns with the first. `file` is the worker's program. */
export function learnInWorker(file: string, matrix: TermMatrix): Promise<TermVectors> | undefined {
  if (availableParallelism() < 2) return undefined;
  const thread = new Worker(file, { execArgv: [], env: {}, resourceLimits: LIMITS });
  thread.unref();
  const { terms, idfs, starts, entryNotes, entryWeights } = matrix;
  const arrays = [terms, idfs, starts, entryNotes, entryWeights];
  return new Promise<TermVectors>((resolve, reject) => {
    thread.on('message', resolve);
    thread.on('error', reject);
    thread.on('exit', () => reject(new Error('the thread has ended')));
    thread.postMessage(
      matrix,
      arrays.map(({ buffer }) => buffer as ArrayBuffer),
    );
  }).finally(() => void thread.terminate());
}
