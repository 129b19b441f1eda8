/**
 * Keeps a vector for every passage of all notebooks, in the background: what is missing is embedded, changes are
 * followed, and all of it goes on where it stopped after a restart. Nothing ever waits for it.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Embedder } from '../../llm/types.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { acquireLock, type FileLock } from '../../shared/fs/lock-file.ts';
import type { Log } from '../../shared/log.ts';
import { memoize } from '../../shared/memoize.ts';
import type { Library } from '../types.ts';
import { type Collection, createCollection } from './collection.ts';
import { createWakeUp, type EmbedTask, embedChanged, type RunParts, taskFor } from './embed-run.ts';
import { type VectorFile, type VectorRecord, vectorFileAt } from './vector-file.ts';

interface EmbeddingOptions {
  readonly embedder: Embedder;
  readonly library: Library;
  /** Where vectors are kept between runs. Outside of every notebook. */
  readonly folder: string;
  /** Which notebooks these are: each choice of them has a file of its own. */
  readonly place: string;
  readonly log: Log;
  /** Tells of changes until the returned function is called; without it, the notes are listed now and then. */
  readonly watch?: (onChange: () => void) => Promise<() => Promise<void>>;
  /** How long to wait before something is tried again. */
  readonly pauses?: Partial<Pauses>;
}

interface Pauses {
  /** After a change: more may follow. */
  readonly changeMs: number;
  /** Between two listings when nobody tells of changes. */
  readonly listMs: number;
  /** After a failure; doubled with each that follows. */
  readonly failureMs: number;
  /** While another process does the work. */
  readonly otherMs: number;
}

const PAUSES: Pauses = { changeMs: 400, listMs: 60_000, failureMs: 5_000, otherMs: 3_000 };
const LONGEST_FAILURE_MS = 300_000;
/** Records nobody needs; fewer are not worth a new file. */
const WORTH_TIDYING = 2_000;
const NO_ROOM = 'There are more passages than can be kept; the oldest notes have no vectors.';

export interface EmbeddingStatus {
  readonly identity: string;
  readonly notes: number;
  /** Notes all of whose passages have vectors. */
  readonly embeddedNotes: number;
  readonly passages: number;
  readonly isWorking: boolean;
  /** Why it does not go on, when it does not. */
  readonly problem?: string;
}

export interface Embedding {
  readonly collection: Pick<Collection, 'cosine' | 'nearest' | 'pathOf' | 'usualCosine'>;
  start(): void;
  status(): EmbeddingStatus;
  /** Resolves when everything there is has vectors. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export function openEmbedding(options: EmbeddingOptions): Embedding {
  return new BackgroundEmbedding(options);
}

class BackgroundEmbedding implements Embedding {
  readonly collection = createCollection();
  readonly #options: EmbeddingOptions;
  readonly #pauses: Pauses;
  readonly #path: string;
  readonly #file: VectorFile;
  readonly #closing = new AbortController();
  readonly #wakeUp = createWakeUp(this.#closing.signal);
  readonly #progress: Progress;
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

  /** And throws away what nobody needs any more, when that is most of it. */
  async #load(): Promise<void> {
    let records = 0;
    const take = (record: VectorRecord) => {
      this.collection.take(record);
      records++;
    };
    await this.#file.read({ reset: () => this.collection.reset(), take });
    if (records > 2 * this.collection.size + WORTH_TIDYING)
      await this.#file.replace(this.collection.records());
  }

  /** How long to wait until the next look. */
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

  /** Whether it was ours to do. */
  async #lead(parts: RunParts): Promise<boolean> {
    // Where no lease can be written, each process works for itself.
    const lease = await acquireEmbeddingLease(`${this.#path}.lead`, this.#closing.signal).catch(
      () => NO_LEASE,
    );
    if (!lease) return false;
    this.#counts.isWorking = true;
    try {
      // Who led until now may have done the rest of it since the last look.
      const task = await this.#task(parts);
      const { hadRoom, unread, error } = await embedChanged(task, parts);
      // What could be read has vectors now; the rest is tried again as after any failure.
      if (unread > 0) throw error;
      this.#problem = hadRoom ? undefined : NO_ROOM;
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

type EmbeddingLease = Pick<FileLock, 'release'>;

const NO_LEASE: EmbeddingLease = { release: () => {} };

/**
 * For the one process that does the work all of them would do; undefined while another one has it. It only saves
 * work: of two processes that both think they have it, each embeds a part twice.
 */
export async function acquireEmbeddingLease(
  file: string,
  signal?: AbortSignal,
): Promise<EmbeddingLease | undefined> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const busy = (holder: string) => new AppError('conflict', 'Another process embeds', { subject: holder });
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

interface Progress {
  report(done: number, total: number): void;
  end(done: number, total: number): void;
}

/** Says now and then how far it is; nothing of what is done in no time. */
function createProgress(log: Log): Progress {
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
