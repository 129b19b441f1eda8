/** Shares pending notes with a worker, which begins at the other end of them and returns an index per batch. */
import type { NoteMeta } from '../../notes/store.ts';
import type { PackedIndex } from '../index/note-index.ts';
import type { PackedSlice } from '../query/query-slice.ts';
import type { QueryWords } from '../query/wanted-words.ts';

/** One thread or several. */
export interface IndexWorker {
  readonly threads: number;
  /** How many of them are not still listing the notes. */
  readonly free: number;
  /** An index with a row for each note, empty for those it could not read; undefined when the worker has failed. */
  index(notes: readonly NoteMeta[]): Promise<PackedIndex | undefined>;
  /** What a query asks for of these notes. Comes before all indexing. Undefined when the worker has failed. */
  slice(notes: readonly NoteMeta[], words: QueryWords): Promise<WorkerSlice | undefined>;
  end(): void;
}

export interface WorkerSlice extends PackedSlice {
  /** The notes it could not read, by their places in the list. */
  readonly unread: readonly number[];
}

/** One worker for all who need it at a time; it ends when nobody does. */
export class SharedWorker {
  readonly #start: (() => Promise<IndexWorker | undefined>) | undefined;
  #started: Promise<IndexWorker | undefined> | undefined;
  #users = 0;

  constructor(start: (() => Promise<IndexWorker | undefined>) | undefined) {
    this.#start = start;
  }

  /** Whether there may be one at all. */
  get isPossible(): boolean {
    return this.#start !== undefined;
  }

  async during<T>(work: (worker: IndexWorker | undefined) => Promise<T>): Promise<T> {
    this.#users++;
    this.#started ??= this.#start?.();
    const worker = await this.#started;
    try {
      return await work(worker);
    } finally {
      if (--this.#users === 0) {
        this.#started = undefined;
        worker?.end();
      }
    }
  }
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
  // One more than there are threads: they index while this thread takes over a batch.
  await Promise.all(Array.from({ length: worker.threads + 1 }, work));
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
