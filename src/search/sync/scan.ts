/** Looks through notes that are not indexed yet for what one query asks for, in the worker and in this thread at once. */
import type { NoteMeta } from '../../notes/store.ts';
import { isAppError } from '../../shared/errors.ts';
import type { ScanRequest } from '../query/context.ts';
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
  readonly bytesOf: (note: NoteMeta) => Uint8Array | Promise<Uint8Array | undefined>;
  readonly take: ScanRequest['take'];
  readonly breathe: () => Promise<unknown> | true;
}

const BATCH = 250;
/** So that a thread need not wait for its next batch. */
const BATCHES_PER_THREAD = 2;
const OWN_BATCH = 100;
/** Most are read and skimmed in a tenth of a millisecond. */
const NOTES_PER_BREATH = 8;

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
      await take(made, batch);
    }
  };
  const lent: Promise<void>[] = [];
  const scanHere = async () => {
    while (own.length > 0 || lendable.length > 0) {
      // A thread may have become free meanwhile.
      while (worker && lendable.length > 0 && lent.length < worker.free * BATCHES_PER_THREAD)
        lent.push(lend(worker));
      const batch = own.length > 0 ? own.splice(-OWN_BATCH) : lendable.splice(0, OWN_BATCH);
      await take(await sliceOf(scan, batch), batch);
    }
  };
  await scanHere();
  await Promise.all(lent);
  // What the worker could not read came in meanwhile.
  await scanHere();
}

async function sliceOf({ words, bytesOf, breathe }: Scan, notes: readonly NoteMeta[]): Promise<PackedSlice> {
  const slice = new QuerySlice(words);
  for (const [place, note] of notes.entries()) {
    const reading = bytesOf(note);
    const bytes = reading instanceof Promise ? await reading : reading;
    const adding = bytes && addTo(slice, { place, note, bytes, breathe });
    if (adding) await adding;
    if (place % NOTES_PER_BREATH === 0) await breathe();
  }
  return slice.pack();
}

interface ReadNote extends Pick<Scan, 'breathe'> {
  readonly place: number;
  readonly note: NoteMeta;
  readonly bytes: Uint8Array;
}

/** A note that is not UTF-8 is found by its name. Undefined where nothing has to be awaited. */
function addTo(slice: QuerySlice, { place, note, bytes, breathe }: ReadNote): Promise<void> | undefined {
  try {
    return slice.add(place, note, bytes, breathe);
  } catch (error) {
    if (!isAppError(error, 'unsupported')) throw error;
    return slice.add(place, note, new Uint8Array(0));
  }
}
