/** Indexes notes somewhere else at the same time, as another thread does; what it made is taken over whole. */
import type { NoteMeta } from '../../notes/store.ts';
import type { PackedIndex } from '../index/note-index.ts';

export interface IndexWorker {
  /** An index with a row for each note, empty for those it could not read; undefined when it cannot help any more. */
  index(notes: readonly NoteMeta[]): Promise<PackedIndex | undefined>;
  end(): void;
}

interface WorkShare {
  readonly assistant: IndexWorker;
  /** What waits now, in the order it is worked at here; the assistant begins at the other end. */
  readonly waiting: () => NoteMeta[];
  readonly isWaiting: (note: NoteMeta) => boolean;
  /** Those it has now. */
  readonly lent: Set<NoteMeta>;
  /** Resolves to how many of the notes that made indexed. */
  readonly takeOver: (made: PackedIndex, notes: readonly NoteMeta[]) => Promise<number>;
}

const LARGEST_BATCH = 400;
const SMALLEST_BATCH = 20;
/** Near the end the two share what is left, so that neither waits long for the other. */
const SHARE_OF_THE_REST = 5;

/** Resolves when the two have met, or the assistant is of no use any more: then what it had waits again. */
export async function shareWork(lending: WorkShare): Promise<void> {
  const { assistant, lent, takeOver } = lending;
  const nextBatch = batches(lending);
  const work = async () => {
    for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
      for (const note of batch) lent.add(note);
      const made = await assistant.index(batch);
      const done = made ? await takeOver(made, batch) : 0;
      for (const note of batch) lent.delete(note);
      if (done === 0) return;
    }
  };
  // The next batch is on its way while one is taken over.
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
