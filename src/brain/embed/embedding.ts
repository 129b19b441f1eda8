/**
 * Keeps a vector for every passage of all notebooks, in the background: what is missing is embedded, changes are
 * followed, and all of it goes on where it stopped after a restart. Nothing ever waits for it.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Embedder } from '../../llm/types.ts';
import { isAppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { once } from '../../shared/once.ts';
import type { Library } from '../types.ts';
import { type Collection, createCollection } from './collection.ts';
import { ALONE, takeLead } from './lead.ts';
import { embedChanged, type RunParts, taskFor } from './run.ts';
import { vectorFileAt } from './vector-file.ts';
import { createWakeUp } from './wake-up.ts';

export interface EmbeddingOptions {
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
  const { embedder, library, folder, place, log } = options;
  const pauses = { ...PAUSES, ...options.pauses };
  const path = join(folder, `vectors-${nameOf([embedder.identity, place])}.bin`);
  const file = vectorFileAt(path, embedder.identity);
  const unsaved = once(() => log('warn', 'vectors cannot be saved; they are kept in memory only'));
  const collection = createCollection();
  const closing = new AbortController();
  const wakeUp = createWakeUp(closing.signal);
  const counts = { notes: 0, embedded: 0, isWorking: false };
  let waiting: (() => void)[] = [];
  let problem: string | undefined;
  let failures = 0;
  let running: Promise<void> | undefined;
  const progress = createProgress(log);
  const parts: RunParts = {
    library,
    embedder,
    collection,
    save: (records) => file.add(records).catch(unsaved),
    signal: closing.signal,
    onNote: () => {
      counts.embedded++;
      progress.report(counts.embedded, counts.notes);
    },
  };

  /** How long to wait until the next look. */
  const look = async (): Promise<number> => {
    await file.read(collection);
    const task = await taskFor(parts);
    counts.notes = task.notes;
    counts.embedded = task.notes - task.changed.length;
    if (task.changed.length + task.gone.length > 0 && !(await lead(task))) return pauses.otherMs;
    for (const resolve of waiting.splice(0)) resolve();
    return pauses.listMs;
  };
  const lead = async (task: Awaited<ReturnType<typeof taskFor>>): Promise<boolean> => {
    // Where nothing can be written, nobody else does the work.
    const held = await takeLead(`${path}.lead`).catch(() => ALONE);
    if (!held) return false;
    counts.isWorking = true;
    try {
      const hasRoom = await embedChanged(task, parts);
      problem = hasRoom
        ? undefined
        : 'There are more passages than can be kept; the oldest notes have no vectors.';
      progress.end(counts.embedded, counts.notes);
    } finally {
      counts.isWorking = false;
      await held.release();
    }
    return true;
  };
  const tidyUp = async () => {
    let records = 0;
    await file.read({
      reset: () => collection.reset(),
      take: (record) => {
        collection.take(record);
        records++;
      },
    });
    if (records > 2 * collection.size + 2_000) await file.replace(collection.records());
  };
  const live = async () => {
    const unwatch = await options.watch?.(() => wakeUp.call(pauses.changeMs)).catch(() => undefined);
    await tidyUp().catch((error: unknown) =>
      log('warn', 'the saved vectors cannot be used', { error: String(error) }),
    );
    while (!closing.signal.aborted) {
      const pause = await look().then(
        (ms) => {
          failures = 0;
          return ms;
        },
        (error: unknown) => {
          if (closing.signal.aborted) return 0;
          problem = isAppError(error)
            ? [error.message, error.hint].filter(Boolean).join('. ')
            : String(error);
          if (failures === 0) log('warn', 'embedding has stopped; it is tried again', { problem });
          failures++;
          return Math.min(LONGEST_FAILURE_MS, pauses.failureMs * 2 ** (failures - 1));
        },
      );
      await wakeUp.wait(pause);
    }
    await unwatch?.();
  };

  return {
    collection,
    start() {
      running ??= live();
    },
    status: () => ({
      identity: embedder.identity,
      notes: counts.notes,
      embeddedNotes: counts.embedded,
      passages: collection.size,
      isWorking: counts.isWorking,
      ...(problem !== undefined && { problem }),
    }),
    settled: () => new Promise((resolve) => waiting.push(resolve)),
    async close() {
      closing.abort();
      waiting = [];
      await running;
    },
  };
}

function nameOf(identity: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 24);
}

const REPORT_MS = 30_000;

/** Says now and then how far it is; nothing of what is done in no time. */
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
