/** A worker that indexes batches of notes of a folder, wholly or for one query, and answers each with an index. */
import { realpathSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { isAlwaysHidden } from '../../notes/path.ts';
import type { NoteMeta } from '../../notes/store.ts';
import { documentOf } from '../../search/index/document.ts';
import { NoteIndex, type PackedIndex } from '../../search/index/note-index.ts';
import { QuerySlice } from '../../search/query/query-slice.ts';
import { searchableText } from '../../search/query/text-cache.ts';
import type { QueryWords } from '../../search/query/wanted-words.ts';
import type { WorkerSlice } from '../../search/sync/index-worker.ts';
import { createYielder, runAtOnce } from '../../shared/async/time-slices.ts';
import { packStrings } from '../../shared/ids.ts';
import { createListedReader } from '../../stores/folder/read-file.ts';
import { relist } from '../../stores/folder/relist.ts';
import type { IndexWorkerTask, ListingPiece } from '../listing-ahead.ts';

export interface IndexJob {
  readonly notes: readonly NoteMeta[];
  /** Only what a query with these words asks for is indexed. */
  readonly words?: QueryWords;
}

/** Without a job until then, another folder is served. */
const FORGOTTEN_AFTER_MS = 60_000;

const { folder, lists } = workerData as IndexWorkerTask;
/** The sender of the batches has filtered out hidden notes. */
const root = { real: realpathSync(folder), isVisible: () => true };
const readListed = createListedReader(root);

const forgotten = lists ? setTimeout(() => process.exit(), FORGOTTEN_AFTER_MS) : undefined;

/** As a notebook does that hides nothing but what is always hidden. */
async function list(): Promise<void> {
  const tell = (files: readonly NoteMeta[], more?: Pick<ListingPiece, 'isLast' | 'token'>) =>
    parentPort?.postMessage({
      paths: packStrings(files.map(({ path }) => path)),
      sizes: Float64Array.from(files, ({ size }) => size),
      times: Float64Array.from(files, ({ lastModified }) => lastModified),
      ...more,
    } satisfies ListingPiece);
  const isVisible = (path: string) => !isAlwaysHidden(path);
  const { changed, token } = await relist(
    { ...root, isVisible },
    { paths: [], sizes: [], times: [] },
    { onChanged: tell },
  );
  tell(changed, { isLast: true, ...(token && { token }) });
}

/** A search waits for a slice, so that it may interrupt the indexing. */
const turns = createYielder(2);
/** The listing comes before all indexing. */
let indexing: Promise<unknown> = lists ? list() : Promise.resolve();

async function indexOf(notes: readonly NoteMeta[]): Promise<PackedIndex> {
  const index = new NoteIndex(undefined, { isBatch: true });
  for (const { path, size, lastModified } of notes) {
    await turns();
    const bytes = readListed({ path, size });
    if (!bytes) continue;
    try {
      const text = searchableText({ path, bytes }) ?? '';
      await index.put({ path, size, lastModified }, text, await documentOf(path, text), async () => {});
    } catch {
      // The main thread reads the note again, and reports the error.
    }
  }
  return runAtOnce(index.pack(notes));
}

async function sliceOf(notes: readonly NoteMeta[], words: QueryWords): Promise<WorkerSlice> {
  const slice = new QuerySlice(words);
  const unread: number[] = [];
  for (const [at, meta] of notes.entries()) {
    try {
      const bytes = readListed(meta);
      const adding = bytes ? slice.add(at, meta, bytes) : void unread.push(at);
      if (adding) await adding;
    } catch {
      unread.push(at);
    }
  }
  return { ...slice.pack(), unread };
}

parentPort?.on('message', async ({ id, job }: { id: number; job: IndexJob }) => {
  clearTimeout(forgotten);
  const { notes, words } = job;
  const made = words ? sliceOf(notes, words) : indexing.then(() => indexOf(notes));
  if (!words) indexing = made;
  parentPort?.postMessage({ id, made: await made });
});
