/** Shares pending notes with a worker, which begins at the other end of them and returns an index per batch. */
import type { NoteMeta } from '../../notes/store.ts';
import type { PackedIndex } from '../index/note-index.ts';

export interface IndexWorker {
  /** An index with a row for each note, empty for those it could not read; undefined when the worker has failed. */
  index(notes: readonly NoteMeta[]): Promise<PackedIndex | undefined>;
  end(): void;
}

interface WorkShare {
  readonly worker: IndexWorker;
  /** The notes that are pending now, in the order in which this thread indexes them. */
  readonly waiting: () => NoteMeta[];
  readonly isWaiting: (note: NoteMeta) => boolean;
  /** The notes the worker has now. */
  readonly lent: Set<NoteMeta>;
  /** Adds the worker's entries to the index; resolves to how many were still wanted. */
  readonly takeOver: (made: PackedIndex, notes: readonly NoteMeta[]) => Promise<number>;
}

const LARGEST_BATCH = 400;
const SMALLEST_BATCH = 20;
/** Batches get smaller near the end, so that neither side waits long for the other. */
const SHARE_OF_THE_REST = 5;

/** Resolves when too few notes are left for a batch, or the worker has failed: then its notes are pending again. */
export async function shareWork(lending: WorkShare): Promise<void> {
  const { worker, lent, takeOver } = lending;
  const nextBatch = batches(lending);
  const work = async () => {
    for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
      for (const note of batch) lent.add(note);
      const made = await worker.index(batch);
      const done = made ? await takeOver(made, batch) : 0;
      for (const note of batch) lent.delete(note);
      if (done === 0) return;
    }
  };
  // Two at a time: the worker indexes one batch while this thread takes over the other.
  await Promise.all([work(), work()]);
}

function batches({ waiting, isWaiting, lent }: WorkShare): () => NoteMeta[] {
  let left: NoteMeta[] = [];
  return () => {
    if (left.length < SMALLEST_BATCH) left = waiting().filter((note) => !lent.has(note));
    const wanted = Math.min(LARGEST_BATCH, Math.floor(left.length / SHARE_OF_THE_REST));
    const batch: NoteMeta[] = [];
    if (wanted < SMALLEST_BATCH) return batch;
    while (batch.length < wanted && left.length > 0) {
      const note = left.pop()!;
      if (isWaiting(note)) batch.push(note);
    }
    return batch;
  };
}
