/**
 * The thread that is ahead of the rest of the program: it reads a saved index, hands it over, and looks which of
 * the files it names are not as they were. The main thread shares that work as soon as it comes to it.
 */
import { closeSync, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { Read, Task } from './ahead.ts';
import { decodeArrays } from './search/array-file.ts';
import { columnsOf, MAGIC } from './search/snapshot-format.ts';
import { atOnce } from './shared/steps.ts';
import { differences } from './stores/folder/differences.ts';

async function goAhead({ folder, indexFile, claims }: Task): Promise<void> {
  const begun = Date.now();
  const root = realpathSync(folder);
  const bytes = readWhole(indexFile);
  const { folders, files, ...numbers } = columnsOf(atOnce(decodeArrays(MAGIC, Buffer.from(bytes))));
  // What is handed over is gone from here.
  const columns = {
    folders,
    files,
    marks: Float64Array.from(numbers.marks),
    sizes: Float64Array.from(numbers.sizes),
    times: Float64Array.from(numbers.times),
  };
  parentPort?.postMessage({ root, begun, bytes } satisfies Read, [bytes]);
  parentPort?.postMessage(await differences(root, columns, () => undefined, claims));
}

function readWhole(file: string): ArrayBuffer {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = new ArrayBuffer(fstatSync(descriptor).size);
    readSync(descriptor, new Uint8Array(bytes));
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

void goAhead(workerData as Task);
