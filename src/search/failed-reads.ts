/** Notes that are there and could not be read: each is tried again, later and later, until it can be or is gone. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NotePath } from '../notes/path.ts';
import type { NoteMeta } from '../notes/store.ts';
import { type ErrorCode, isAppError } from '../shared/errors.ts';

/** How long to wait before something that failed is tried again: longer each time, never for ever, and not all at once. */

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

interface FailedRead {
  readonly meta: NoteMeta;
  readonly tries: number;
  readonly code: ErrorCode;
  /** On the clock of `performance`. */
  readonly retryAt: number;
}

/** One that failed oftener is not read by each search any more. */
const WORTH_A_LOOK = 3;

export class FailedReads {
  readonly #reads = new Map<NotePath, FailedRead>();
  readonly #backoff: Backoff;
  readonly #onDue: (metas: readonly NoteMeta[]) => void;
  /** How often each has failed, also while it is being tried again. */
  readonly #tries = new Map<NotePath, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(backoff: Backoff, onDue: (metas: readonly NoteMeta[]) => void) {
    this.#backoff = backoff;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#reads.size;
  }

  values(): Iterable<FailedRead> {
    return this.#reads.values();
  }

  /** Those a search may have more luck with. */
  worthALook(): NoteMeta[] {
    return [...this.#reads.values()].filter(({ tries }) => tries < WORTH_A_LOOK).map(({ meta }) => meta);
  }

  /** Those that have failed often: they are known by name only. */
  hopeless(): NoteMeta[] {
    return [...this.#reads.values()].filter(({ tries }) => tries >= WORTH_A_LOOK).map(({ meta }) => meta);
  }

  add(meta: NoteMeta, error: unknown): void {
    const tries = (this.#tries.get(meta.path) ?? 0) + 1;
    this.#tries.set(meta.path, tries);
    const retryAt = performance.now() + this.#backoff.pauseMs(tries - 1);
    this.#reads.set(meta.path, { meta, tries, retryAt, code: isAppError(error) ? error.code : 'internal' });
    this.#arm();
  }

  /** It was read, has changed or is gone. */
  forget(path: NotePath): void {
    this.#tries.delete(path);
    this.#reads.delete(path);
  }

  /** The server is back: nobody has to wait any longer. */
  retryNow(): void {
    this.#hand([...this.#reads.values()]);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#reads.size === 0) return;
    let next = Number.POSITIVE_INFINITY;
    for (const { retryAt } of this.#reads.values()) next = Math.min(next, retryAt);
    this.#timer = setTimeout(
      () => this.#hand([...this.#reads.values()].filter(({ retryAt }) => retryAt <= performance.now())),
      Math.max(1, next - performance.now()),
    ).unref();
  }

  #hand(due: readonly FailedRead[]): void {
    for (const { meta } of due) this.#reads.delete(meta.path);
    this.#arm();
    if (due.length > 0) this.#onDue(due.map(({ meta }) => meta));
  }
}
