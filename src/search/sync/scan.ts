/** Looks through notes that are not indexed yet for what one query asks for, in the worker and in this thread at once. */
import type { NoteMeta } from '../../notes/store.ts';
import { isAppError } from '../../shared/errors.ts';
import { type PackedSlice, QuerySlice } from '../query/query-slice.ts';
import type { QueryWords } from '../query/wanted-words.ts';
import type { IndexWorker } from './index-worker.ts';

interface Scan {
  readonly notes: readonly NoteMeta[];
  readonly words: QueryWords;
  readonly worker: IndexWorker | undefined;
  /** Whether the worker may read the note. */
  readonly mayLend: (note: NoteMeta) => boolean;
  /** Empty for a note that is not text, undefined for one that is gone. */
  readonly bytesOf: (note: NoteMeta) => Promise<Uint8Array | undefined>;
  readonly take: (slice: PackedSlice) => Promise<void>;
  readonly breathe: () => Promise<unknown>;
}

const BATCH = 250;
/** So that a thread need not wait for its next batch. */
const BATCHES_PER_THREAD = 2;
const OWN_BATCH = 50;

export async function scan(scan: Scan): Promise<void> {
  const { notes, words, worker, mayLend, take } = scan;
  const lendable = worker ? notes.filter(mayLend) : [];
  const own = worker ? notes.filter((note) => !mayLend(note)) : [...notes];
  const lend = async (threads: IndexWorker) => {
    while (lendable.length > 0) {
      const batch = lendable.splice(-BATCH);
      const made = await threads.slice(batch, words);
      own.push(...(made ? made.unread.map((at) => batch[at]!) : batch));
      if (!made) return;
      await take(made);
    }
  };
  const scanHere = async () => {
    while (own.length > 0 || lendable.length > 0)
      await take(
        await sliceOf(scan, own.length > 0 ? own.splice(-OWN_BATCH) : lendable.splice(0, OWN_BATCH)),
      );
  };
  const lent = worker ? Array.from({ length: worker.threads * BATCHES_PER_THREAD }, () => lend(worker)) : [];
  await Promise.all([scanHere(), ...lent]);
  // What the worker could not read came in meanwhile.
  await scanHere();
}

async function sliceOf({ words, bytesOf, breathe }: Scan, notes: readonly NoteMeta[]): Promise<PackedSlice> {
  const slice = new QuerySlice(words);
  for (const note of notes) {
    const bytes = await bytesOf(note);
    if (bytes) await addTo(slice, note, bytes, breathe);
    await breathe();
  }
  return slice.pack();
}

/** A note that is not UTF-8 is found by its name. */
async function addTo(slice: QuerySlice, note: NoteMeta, bytes: Uint8Array, breathe: Scan['breathe']) {
  try {
    await slice.add(note, bytes, breathe);
  } catch (error) {
    if (!isAppError(error, 'unsupported')) throw error;
    await slice.add(note, new Uint8Array(0));
  }
}
