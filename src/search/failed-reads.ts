/** Retries with exponential backoff and jitter: of single tasks, and of reading notes that exist and could not be read. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NotePath } from '../notes/path.ts';
import type { NoteMeta } from '../notes/store.ts';
import { type ErrorCode, isAppError } from '../shared/errors.ts';

export interface Backoff {
  /** `tries` is the number of retries before. */
  pauseMs(tries: number): number;
}

interface BackoffOptions {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Between 0 and 1. */
  readonly random?: () => number;
}

export interface RetryOptions extends Partial<BackoffOptions> {
  /** How long a client waits for a server that is silent. */
  readonly stallMs?: number;
  /** How long a search waits for a server that is slow. */
  readonly answerMs?: number;
}

/** For reading a note, and for listing all. */
export const RETRY_NOTE = { firstMs: 1_000, longestMs: 300_000 };
/** For a server that is down: its notes should be found soon after it is back. */
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
  /** Called at the first failure. */
  readonly onFailure?: (error: unknown) => void;
}

/** Retries until the work succeeds or the signal aborts. */
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
  /** As `performance.now()`. */
  readonly retryAt: number;
}

/** After so many failures, searches do not try to read the note themselves. */
const WORTH_A_LOOK = 3;

export class FailedReads {
  readonly #reads = new Map<NotePath, FailedRead>();
  readonly #backoff: Backoff;
  readonly #onDue: (metas: readonly NoteMeta[]) => void;
  /** The failures of each note, also of those being retried now. */
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

  /** Notes that searches try to read. */
  worthALook(): NoteMeta[] {
    return [...this.#reads.values()].filter(({ tries }) => tries < WORTH_A_LOOK).map(({ meta }) => meta);
  }

  /** Notes that have failed often: they are found by name only. */
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

  /** For a note that was read, has changed or is gone. */
  forget(path: NotePath): void {
    this.#tries.delete(path);
    this.#reads.delete(path);
  }

  /** For when the server is back. */
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
