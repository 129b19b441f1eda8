/** One pass that embeds all changed notes, the newest first. */
import type { Embedder } from '../../llm/types.ts';
import { isAppError } from '../../shared/errors.ts';
import { quantize } from '../../shared/quantized-vector.ts';
import { passagesOf } from '../retrieve/passages.ts';
import type { Library, NoteSummary, Passage } from '../types.ts';
import type { Collection } from './collection.ts';
import type { EmbeddedNote, VectorRecord } from './vector-file.ts';

export interface RunParts {
  readonly library: Library;
  readonly embedder: Embedder;
  readonly collection: Collection;
  /** Saves records for later runs; never fails. */
  readonly save: (records: readonly VectorRecord[]) => Promise<void>;
  readonly signal: AbortSignal;
  /** Called once for each note that has become current. */
  readonly onNote: () => void;
}

export interface EmbedTask {
  readonly notes: number;
  /** Newest first. */
  readonly changed: readonly NoteSummary[];
  readonly gone: readonly string[];
}

const PASSAGES_AT_ONCE = 32;
/** 50 MB at 512 dimensions. When there are more, the oldest notes have no vectors. */
const MOST_PASSAGES = 100_000;
/** Longer notes are taken for data and not embedded. */
const LARGEST_NOTE = 2 * 1024 * 1024;
const LONGEST_TEXT = 1_600;

export async function taskFor({ library, collection, signal }: RunParts): Promise<EmbedTask> {
  let isComplete = true;
  const onWarning = () => {
    isComplete = false;
  };
  const known = (await library.notes({}, { signal, onWarning })).filter(({ size }) => size <= LARGEST_NOTE);
  const present = new Set(known.map(({ sourcePath }) => sourcePath));
  return {
    notes: known.length,
    changed: known
      .filter((note) => !collection.isCurrent(note))
      .sort((a, b) => b.lastModified - a.lastModified),
    // Notes of a notebook that is out of reach still exist.
    gone: isComplete ? [...collection.paths()].filter((path) => !present.has(path)) : [],
  };
}

/** After this many failed reads in a row, the store counts as out of reach. */
const MOST_UNREAD_IN_A_ROW = 20;

/** False when `MOST_PASSAGES` was reached. Throws the first error of notes that exist and could not be read. */
export async function embedChanged(task: EmbedTask, parts: RunParts): Promise<boolean> {
  const { library, collection, save, signal } = parts;
  const keep = async (records: readonly VectorRecord[]) => {
    if (records.length === 0) return;
    for (const record of records) collection.take(record);
    await save(records);
  };
  await keep(task.gone.map((sourcePath) => ({ kind: 'gone', sourcePath })));
  const batches = createBatches(parts, keep);
  const failures: unknown[] = [];
  let unreadInARow = 0;
  let hasRoom = true;
  for (const known of task.changed) {
    signal.throwIfAborted();
    hasRoom = collection.held < MOST_PASSAGES;
    if (!hasRoom || unreadInARow >= MOST_UNREAD_IN_A_ROW) break;
    // None for a note that is not text; undefined when the note is gone.
    let passages: readonly Passage[] | undefined = [];
    try {
      passages = passagesOf(await library.read(known.sourcePath, { signal }));
    } catch (error) {
      if (isAppError(error, 'not_found')) passages = undefined;
      else if (!isAppError(error, 'unsupported')) {
        signal.throwIfAborted();
        failures.push(error);
        unreadInARow++;
        continue;
      }
    }
    unreadInARow = 0;
    if (passages) await batches.add(known, passages);
  }
  await batches.finish();
  if (failures.length > 0) throw failures[0];
  return hasRoom;
}

function createBatches(
  { collection, embedder, signal, onNote }: RunParts,
  keep: (records: readonly VectorRecord[]) => Promise<void>,
) {
  let waiting: Passage[] = [];
  /** Notes that become complete when the first `after` of the waiting passages have vectors. */
  let notes: { readonly note: EmbeddedNote; readonly after: number }[] = [];

  const flush = async (count: number) => {
    const batch = waiting.slice(0, count);
    const vectors = batch.length === 0 ? [] : await embedder.embed(batch.map(embeddedText), signal);
    const complete = notes.filter(({ after }) => after <= count);
    await keep([
      ...batch.map(({ hash }, at) => ({ kind: 'vector' as const, hash, vector: quantize(vectors[at]!) })),
      ...complete.map(({ note }) => ({ kind: 'note' as const, note })),
    ]);
    waiting = waiting.slice(count);
    notes = notes
      .filter(({ after }) => after > count)
      .map(({ note, after }) => ({ note, after: after - count }));
    for (const _ of complete) onNote();
  };
  return {
    async add({ sourcePath, lastModified, size }: NoteSummary, passages: readonly Passage[]) {
      waiting.push(...passages.filter(({ hash }) => !collection.has(hash)));
      const hashes = passages.map(({ hash }) => hash);
      notes.push({ note: { sourcePath, lastModified, size, hashes }, after: waiting.length });
      while (waiting.length >= PASSAGES_AT_ONCE) await flush(PASSAGES_AT_ONCE);
    },
    finish: () => flush(waiting.length),
  };
}

/** Title and headings are embedded with the passage, because they often name its subject. */
function embeddedText({ title, headings, text }: Passage): string {
  const over = [title, ...headings].filter((line, at, all) => line !== '' && all.indexOf(line) === at);
  return `${over.join('. ')}\n${text}`.slice(0, LONGEST_TEXT);
}

/** A timed wait that can be cut short, and ends when `signal` aborts. */
export function createWakeUp(signal: AbortSignal) {
  let until = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let end = () => {};
  /** Ends the present or the next wait after `afterMs` at the latest. */
  const call = (afterMs: number) => {
    until = Math.min(until, performance.now() + afterMs);
    clearTimeout(timer);
    timer = setTimeout(() => end(), until - performance.now()).unref();
  };
  signal.addEventListener('abort', () => end());
  return {
    call,
    async wait(ms: number): Promise<void> {
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        end = resolve;
        call(ms);
      });
      clearTimeout(timer);
      until = Number.POSITIVE_INFINITY;
    },
  };
}
