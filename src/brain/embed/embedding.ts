/**
 * Background embedding of all passages of all notebooks: follows changes, resumes after a restart, and never blocks a
 * request.
 */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Embedder } from '../../llm/types.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { acquireLock, type FileLock } from '../../shared/fs/lock-file.ts';
import { makeFolders } from '../../shared/fs/make-folders.ts';
import type { Log } from '../../shared/log.ts';
import { memoize } from '../../shared/memoize.ts';
import type { Library } from '../types.ts';
import { createCollection } from './collection.ts';
import { createWakeUp, type EmbedTask, embedChanged, type RunParts, taskFor } from './embed-run.ts';
import { type VectorFile, type VectorRecord, vectorFileAt } from './vector-file.ts';

interface EmbeddingOptions {
  readonly embedder: Embedder;
  readonly library: Library;
  /** The folder of the vector files, outside of every notebook. */
  readonly folder: string;
  /** Identity of the set of notebooks: each set has a vector file of its own. */
  readonly place: string;
  readonly log: Log;
  /** Reports changes until the returned function is called; without it, the notes are polled. */
  readonly watch?: (onChange: () => void) => Promise<() => Promise<void>>;
  readonly pauses?: Partial<Pauses>;
}

interface Pauses {
  /** Debounce after a change. */
  readonly changeMs: number;
  /** Polling interval. */
  readonly listMs: number;
  /** Backoff after the first failure; doubles with each further one. */
  readonly failureMs: number;
  /** Polling interval while another process holds the lease. */
  readonly otherMs: number;
}

const PAUSES: Pauses = { changeMs: 400, listMs: 60_000, failureMs: 5_000, otherMs: 3_000 };
const LONGEST_FAILURE_MS = 300_000;
/** Fewer outdated records than this are not worth a compaction. */
const LEAST_OUTDATED = 2_000;
const NO_ROOM = 'There are more passages than can be kept; the oldest notes have no vectors.';

export interface EmbeddingStatus {
  readonly identity: string;
  readonly notes: number;
  /** Notes whose passages all have vectors. */
  readonly embeddedNotes: number;
  readonly passages: number;
  readonly isWorking: boolean;
  /** Why embedding is incomplete or has stopped. */
  readonly problem?: string;
}

export class Embedding {
  readonly collection = createCollection();
  readonly #options: EmbeddingOptions;
  readonly #pauses: Pauses;
  readonly #path: string;
  readonly #file: VectorFile;
  readonly #closing = new AbortController();
  readonly #wakeUp = createWakeUp(this.#closing.signal);
  readonly #progress: ReturnType<typeof createProgress>;
  readonly #counts = { notes: 0, embedded: 0, isWorking: false };
  #waiting: (() => void)[] = [];
  #problem: string | undefined;
  #failures = 0;
  #running: Promise<void> | undefined;

  constructor(options: EmbeddingOptions) {
    const { embedder, folder, place, log } = options;
    this.#options = options;
    this.#pauses = { ...PAUSES, ...options.pauses };
    this.#path = join(folder, `vectors-${nameOf([embedder.identity, place])}.bin`);
    this.#file = vectorFileAt(this.#path, embedder.identity);
    this.#progress = createProgress(log);
  }

  start(): void {
    this.#running ??= this.#live();
  }

  status(): EmbeddingStatus {
    const { notes, embedded, isWorking } = this.#counts;
    return {
      identity: this.#options.embedder.identity,
      notes,
      embeddedNotes: embedded,
      passages: this.collection.size,
      isWorking,
      problem: this.#problem,
    };
  }

  /** Resolves when all present notes have vectors. */
  settled(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#waiting = [];
    await this.#running;
  }

  async #live(): Promise<void> {
    const { watch, log } = this.#options;
    const unwatch = await watch?.(() => this.#wakeUp.call(this.#pauses.changeMs)).catch(() => undefined);
    await this.#load().catch((error: unknown) =>
      log('warn', 'the saved vectors cannot be used', { error: String(error) }),
    );
    while (!this.#closing.signal.aborted) {
      const pause = await this.#look().catch((error: unknown) => this.#failed(error));
      await this.#wakeUp.wait(pause);
    }
    await unwatch?.();
  }

  /** Compacts the file when most of its records are outdated. */
  async #load(): Promise<void> {
    let records = 0;
    const take = (record: VectorRecord) => {
      this.collection.take(record);
      records++;
    };
    await this.#file.read({ reset: () => this.collection.reset(), take });
    if (records > 2 * this.collection.size + LEAST_OUTDATED)
      await this.#file.replace(this.collection.records());
  }

  /** Returns the milliseconds to wait before the next pass. */
  async #look(): Promise<number> {
    const parts = this.#parts();
    if (isWork(await this.#task(parts)) && !(await this.#lead(parts))) return this.#pauses.otherMs;
    this.#failures = 0;
    for (const resolve of this.#waiting.splice(0)) resolve();
    return this.#pauses.listMs;
  }

  async #task(parts: RunParts): Promise<EmbedTask> {
    await this.#file.read(this.collection);
    const task = await taskFor(parts);
    this.#counts.notes = task.notes;
    this.#counts.embedded = task.notes - task.changed.length;
    return task;
  }

  /** False when another process holds the lease. */
  async #lead(parts: RunParts): Promise<boolean> {
    // Where no lease can be written, each process embeds for itself.
    const lease = await acquireEmbeddingLease(`${this.#path}.lead`, this.#closing.signal).catch(() => ({
      release() {},
    }));
    if (!lease) return false;
    this.#counts.isWorking = true;
    try {
      // The previous holder of the lease may have embedded more since the last read.
      const task = await this.#task(parts);
      this.#problem = (await embedChanged(task, parts)) ? undefined : NO_ROOM;
      this.#progress.end(this.#counts.embedded, this.#counts.notes);
    } finally {
      this.#counts.isWorking = false;
      lease.release();
    }
    return true;
  }

  #parts(): RunParts {
    const { library, embedder } = this.#options;
    return {
      library,
      embedder,
      collection: this.collection,
      signal: this.#closing.signal,
      save: (records) => this.#file.add(records).catch(this.#unsaved),
      onNote: () => this.#progress.report(++this.#counts.embedded, this.#counts.notes),
    };
  }

  readonly #unsaved = memoize(() =>
    this.#options.log('warn', 'vectors cannot be saved; they are kept in memory only'),
  );

  #failed(error: unknown): number {
    if (this.#closing.signal.aborted) return 0;
    this.#problem = isAppError(error)
      ? [error.message, error.hint].filter(Boolean).join('. ')
      : String(error);
    if (this.#failures === 0)
      this.#options.log('warn', 'embedding has stopped; it is tried again', { problem: this.#problem });
    this.#failures++;
    return Math.min(LONGEST_FAILURE_MS, this.#pauses.failureMs * 2 ** (this.#failures - 1));
  }
}

/**
 * Elects the one process that embeds; undefined while another one holds the lease. It only saves work: if two
 * processes both hold it, some passages are embedded twice.
 */
export async function acquireEmbeddingLease(
  file: string,
  signal?: AbortSignal,
): Promise<Pick<FileLock, 'release'> | undefined> {
  await makeFolders(dirname(file), 0o700);
  const busy = (holder: string) =>
    new AppError('conflict', 'Another process is embedding the notes', { subject: holder });
  return acquireLock(file, { signal, busy }).catch((error: unknown) => {
    if (isAppError(error, 'conflict') || signal?.aborted) return undefined;
    throw error;
  });
}

function isWork({ changed, gone }: EmbedTask): boolean {
  return changed.length + gone.length > 0;
}

function nameOf(identity: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 24);
}

const REPORT_MS = 30_000;

/** Logs progress every `REPORT_MS`; work that ends sooner is not logged. */
function createProgress(log: Log) {
  let last = 0;
  let hasSaid = false;
  return {
    report(done: number, total: number) {
      if (last === 0) last = performance.now();
      if (performance.now() - last < REPORT_MS) return;
      last = performance.now();
      hasSaid = true;
      log('info', 'notes are being embedded', { done, total });
    },
    end(done: number, total: number) {
      last = 0;
      if (hasSaid) log('info', 'notes are embedded', { done, total });
      hasSaid = false;
    },
  };
}
