/**
 * The texts one answer needs: read side by side where notes are far away, and for so long that the answer comes in
 * time. What could not be read is counted.
 */
import type { NotePath } from '../notes/path.ts';
import { mapConcurrently } from '../shared/async/semaphore.ts';
import { isAppError } from '../shared/errors.ts';
import type { TextCache } from './query/text-cache.ts';
import { type Reach, tooSlow } from './reach.ts';

export interface TextReader {
  /**
   * Undefined when the note is gone, is not text, or could not be read: then it is among the unread. Of the time there
   * is, this part may be over already.
   */
  get(path: NotePath, part?: number): Promise<string | undefined>;
  /** So that asking for each of these finds it ready; does nothing for notes near by. */
  prefetch(paths: readonly NotePath[]): Promise<void>;
  /** Those that are there, as far as anybody knows, and whose text is not. */
  readonly unread: ReadonlySet<NotePath>;
}

/** As many are fetched ahead: all of them might not stay in memory until their turn comes. */
export const PREFETCHED = 64;

/** However much of its time an answer has used up before anything is read. */
const LEAST_PART = 1 / 3;

/** `begun` is when the answer was asked for; without it, there is all the time it takes. */
export function createTextReader(texts: TextCache, reach: Reach, begun?: number): TextReader {
  const unread = new Set<NotePath>();
  const opened = performance.now();
  const mostMs = begun === undefined ? Number.POSITIVE_INFINITY : readingTime(reach, opened - begun);
  const get = async (path: NotePath, part = 1): Promise<string | undefined> => {
    const kept = texts.peek(path);
    if (kept !== undefined) return kept;
    if (unread.has(path)) return undefined;
    try {
      // Nothing is asked of a server that is known to be down.
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
    get,
    unread,
    prefetch: async (paths) => {
      if (!reach.isFar) return;
      const missing = paths.filter((path) => texts.peek(path) === undefined);
      await mapConcurrently(missing, texts.readsAtOnce, (path) => get(path));
    },
  };
}

/** Infinite for notes near by. */
function readingTime({ answerMs }: Reach, usedMs: number): number {
  return Math.max(answerMs - usedMs, answerMs * LEAST_PART);
}
