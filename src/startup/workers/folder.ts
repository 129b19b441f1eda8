/**
 * Worker for a folder with very many files. As a prefetch it reads a saved index, transfers it to the main thread, and
 * compares its files with the folder, a work that the main thread then shares. On request it watches the folder.
 */
import { closeSync, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { NotePath } from '../../notes/path.ts';
import type { Listing } from '../../notes/store.ts';
import { decodeArrays } from '../../search/index/array-file.ts';
import { listingIn, MAGIC } from '../../search/index/snapshot-format.ts';
import { runAtOnce, type Yielder } from '../../shared/async/time-slices.ts';
import { unpackStrings } from '../../shared/ids.ts';
import { differences, rowsOf } from '../../stores/folder/differences.ts';
import type { FolderWorkerTask, PrefetchedFile } from '../prefetch.ts';
import type { PackedListing, WatchMessage, WatchRequest } from '../watch-worker.ts';

/** A quarter of the time for low-priority work, because the main thread and V8 may need the processor. */
const TURN_MS = 2;
const REST_MS = 6;

/** Without a request until then, another folder is served. */
const FORGOTTEN_AFTER_MS = 60_000;

const { folder, ahead } = workerData as FolderWorkerTask;
const forgotten = setTimeout(() => process.exit(), FORGOTTEN_AFTER_MS);
const begun = Date.now();
const root = realpathSync(folder);
const saved = ahead && goAhead(ahead);

parentPort?.on('message', async ({ filter: options, sweeps, listing }: WatchRequest) => {
  clearTimeout(forgotten);
  // On Linux this is the priority of the thread; elsewhere it would be that of the process.
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  // Loaded on demand, so that the prefetch does not wait for it.
  const { PathFilter } = await import('../../notes/path-filter.ts');
  const { watchFolder } = await import('../../stores/folder/watch.ts');
  const tell = (told: WatchMessage) => parentPort?.postMessage(told);
  const filter = new PathFilter(options);
  const known = listing ? unpacked(listing) : saved;
  await watchFolder(
    { real: root, isVisible: (path) => !filter.isHidden(path) },
    (changes) => tell({ changes }),
    {
      since: known && (() => known),
      onAnyChange: (seesAll) => tell({ anyChange: { seesAll } }),
      log: (severity, message, fields) => tell({ logged: [severity, message, fields] }),
      sweeps,
      leisurely: leisurely(),
    },
  );
  tell({ isReady: true });
});

function goAhead({ indexFile, claims }: NonNullable<FolderWorkerTask['ahead']>): Listing {
  const bytes = readWhole(indexFile);
  const saved = listingIn(runAtOnce(decodeArrays(MAGIC, Buffer.from(bytes))));
  // Copies, because the bytes are transferred to the main thread.
  const listing = {
    ...saved,
    sizes: Float64Array.from(saved.sizes),
    times: Float64Array.from(saved.times),
  };
  parentPort?.postMessage({ root, begun, bytes } satisfies PrefetchedFile, [bytes]);
  void differences(root, rowsOf(listing), () => undefined, claims).then((found) =>
    parentPort?.postMessage(found),
  );
  return listing;
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

function unpacked({ paths, ...listing }: PackedListing): Listing {
  return { ...listing, paths: unpackStrings(paths, listing.sizes.length) as NotePath[] };
}

function leisurely(): Yielder {
  let begun = performance.now();
  const rest = async () => {
    await sleep(REST_MS);
    begun = performance.now();
  };
  return () => (performance.now() - begun < TURN_MS ? undefined : rest());
}
