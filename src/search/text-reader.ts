/**
 * Reads the texts that one answer needs: concurrently from a far server, and only as long as the answer can still
 * come in time. Notes that could not be read are recorded.
 */
import type { NotePath } from '../notes/path.ts';
import type { NoteMeta } from '../notes/store.ts';
import { mapConcurrently } from '../shared/async/semaphore.ts';
import { isAppError } from '../shared/errors.ts';
import type { TextCache } from './query/text-cache.ts';
import { type Reach, tooSlow } from './reach.ts';

export interface TextReader {
  /** Where it needs no waiting: a search looks at many texts, and a promise for each takes as long as the look. */
  now(note: Pick<NoteMeta, 'path' | 'size'>): string | undefined;
  /**
   * Undefined when the note is gone, is not text, or could not be read, which adds it to `unread`. Gives up when
   * `part` of the time is used up.
   */
  get(path: NotePath, part?: number): Promise<string | undefined>;
  /** Fills the cache from a far server. */
  prefetch(paths: readonly NotePath[]): Promise<void>;
  readonly unread: ReadonlySet<NotePath>;
}

/** The size of a batch: more texts might be evicted before they are used. */
export const PREFETCHED = 64;

/** The least share of its time that an answer has left for reading. */
const LEAST_PART = 1 / 3;

/** `begun` is when the request came; without it, there is no time limit. */
export function createTextReader(texts: TextCache, reach: Reach, begun?: number): TextReader {
  const unread = new Set<NotePath>();
  const opened = performance.now();
  const mostMs = begun === undefined ? Number.POSITIVE_INFINITY : readingTime(reach, opened - begun);
  const get = async (path: NotePath, part = 1): Promise<string | undefined> => {
    const kept = texts.peek(path);
    if (kept !== undefined) return kept;
    if (unread.has(path)) return undefined;
    try {
      // No request is sent to a server that is known to be down.
      if (reach.isDown) throw reach.problem?.error;
      const left = opened + mostMs * part - performance.now();
      if (left <= 0) throw tooSlow();
      return await reach.patiently(texts.get(path), left);
    } catch (error) {
      if (!isAppError(error)) throw error;
      unread.add(path);
      return undefined;
    }
  };
  return {
    now: (note) => texts.now(note),
    get,
    unread,
    prefetch: async (paths) => {
      if (!reach.isFar) return;
      const missing = paths.filter((path) => texts.peek(path) === undefined);
      await mapConcurrently(missing, texts.readsAtOnce, (path) => get(path));
    },
  };
}

function readingTime({ answerMs }: Reach, usedMs: number): number {
  return Math.max(answerMs - usedMs, answerMs * LEAST_PART);
}

/** As many of the items at a time as are prefetched. */
export function* batchesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += PREFETCHED) yield items.slice(from, from + PREFETCHED);
}
