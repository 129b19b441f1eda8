/** A worker that indexes batches of notes of a folder, and answers each with an index. */
import { realpathSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { NoteMeta } from '../../notes/store.ts';
import { documentOf } from '../../search/index/document.ts';
import { NoteIndex, type PackedIndex } from '../../search/index/note-index.ts';
import { searchableText } from '../../search/query/text-cache.ts';
import { runAtOnce } from '../../shared/async/time-slices.ts';
import { readSmallNote } from '../../stores/folder/read-file.ts';

const { folder } = workerData as { folder: string };
/** The sender of the batches has filtered out hidden notes. */
const root = { real: realpathSync(folder), isVisible: () => true };

async function indexOf(notes: readonly NoteMeta[]): Promise<PackedIndex> {
  const index = new NoteIndex();
  for (const { path, size, lastModified } of notes) {
    const note = readSmallNote(root, path);
    if (!note) continue;
    try {
      const text = searchableText(note) ?? '';
      await index.put({ path, size, lastModified }, text, await documentOf(path, text), async () => {});
    } catch {
      // The main thread reads the note again, and reports the error.
    }
  }
  return runAtOnce(index.pack(notes));
}

parentPort?.on('message', async (notes: readonly NoteMeta[]) =>
  parentPort?.postMessage(await indexOf(notes)),
);
