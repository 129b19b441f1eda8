/** A worker that learns the meaning of terms from their weights in notes. It reads no file and opens no connection. */
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type TermMatrix, termVectors } from '../../search/meaning/term-vectors.ts';
import { runAtOnce } from '../../shared/async/time-slices.ts';

// On Linux this is the priority of the calling thread alone; elsewhere it would be that of the whole server.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', (matrix: TermMatrix) => {
  const made = runAtOnce(termVectors(matrix));
  const arrays = [made.terms, made.bytes, made.scales];
  parentPort?.postMessage(
    made,
    arrays.map(({ buffer }) => buffer as ArrayBuffer),
  );
});
