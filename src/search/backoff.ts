/** How long to wait before something that failed is tried again: longer each time, never for ever, and not all at once. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Backoff {
  /** `tries` is how often it has been tried again already. */
  pauseMs(tries: number): number;
}

interface BackoffOptions {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Between 0 and 1. */
  readonly random?: () => number;
}

/** How soon what failed is tried again. */
export interface RetryOptions extends Partial<BackoffOptions> {
  /** How long a server that says nothing is waited for. */
  readonly stallMs?: number;
  /** How long a server that answers slowly is asked for what one search needs. */
  readonly answerMs?: number;
}

/** Between two tries to read a note, and to list them all. */
export const RETRY_NOTE = { firstMs: 1_000, longestMs: 300_000 };
/** Between two rounds of tries while nothing can be read at all: as soon as it can, the notes should be found. */
export const RETRY_SERVER = { firstMs: 500, longestMs: 5_000 };
const MOST_DOUBLINGS = 20;

export function createBackoff({ firstMs, longestMs, random = Math.random }: BackoffOptions): Backoff {
  return {
    pauseMs: (tries) =>
      Math.min(longestMs, firstMs * 2 ** Math.min(tries, MOST_DOUBLINGS)) * (0.5 + random() / 2),
  };
}

interface Persistence {
  readonly backoff: Backoff;
  readonly signal: AbortSignal;
  /** Told of the first failure. */
  readonly onFailure?: (error: unknown) => void;
}

/** Tries until the work is done or nobody wants it any more. */
export async function persistently(
  work: () => Promise<void>,
  { backoff, signal, onFailure }: Persistence,
): Promise<void> {
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 0 && !signal.aborted) onFailure?.(error);
      await sleep(backoff.pauseMs(tries), undefined, { ref: false, signal }).catch(() => {});
    }
  }
}
