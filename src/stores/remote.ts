/** Mechanisms of stores behind a server: retries of reads, and the pace of polling for changes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, isAppError } from '../shared/errors.ts';

/** Default delays before each retry. */
export const RETRY_PAUSES: readonly number[] = [200, 800];
/** Transient statuses. Not 500, which servers of notes also send for permanent failures. */
const TRANSIENT = [502, 503, 504];

/** Repeats a request without side effects after a network failure or a transient status. */
export async function withRetries<Answer extends { readonly status: number }>(
  request: () => Promise<Answer>,
  { pauses, signal }: { readonly pauses: readonly number[]; readonly signal?: AbortSignal | undefined },
): Promise<Answer> {
  for (const pause of pauses) {
    try {
      const answer = await request();
      if (!TRANSIENT.includes(answer.status)) return answer;
    } catch (error) {
      if (!isAppError(error, 'upstream_failed') || error.reason) throw error;
    }
    await sleep(pause * (0.75 + Math.random() / 2), undefined, { signal });
  }
  return request();
}

/** Whether the server may have performed the request in spite of the error. */
export function isUncertain(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'upstream_failed' || error.code === 'timeout');
}

/** Polling interval for changes: short while there are requests, long without. */
export interface PollPace {
  /** Records a request, and wakes a waiting poll if it is now due sooner. */
  used(): void;
  /** Resolves when the next poll is due, or the signal aborts. */
  next(signal: AbortSignal): Promise<void>;
}

interface PollPaceOptions {
  /** Interval while there are requests; evaluated each time. */
  readonly busyMs: () => number;
  /** Longest interval. */
  readonly idleMs: number;
  /** Time without requests after which the long interval applies. */
  readonly idleAfterMs: number;
  readonly now?: () => number;
}

export function createPollPace(options: PollPaceOptions): PollPace {
  const { busyMs, idleMs, idleAfterMs, now = () => performance.now() } = options;
  let usedAt = now();
  const wakers = new Set<() => void>();
  const pauseMs = () => (now() - usedAt < idleAfterMs ? busyMs() : Math.max(busyMs(), idleMs));
  return {
    used: () => {
      const wasIdle = now() - usedAt >= idleAfterMs;
      usedAt = now();
      if (wasIdle) for (const wake of wakers) wake();
    },
    next: (signal) =>
      new Promise<void>((resolve) => {
        const begun = now();
        let timer: NodeJS.Timeout | undefined;
        const done = () => {
          clearTimeout(timer);
          wakers.delete(wake);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const wake = () => {
          clearTimeout(timer);
          timer = setTimeout(done, Math.max(0, begun + pauseMs() - now())).unref();
        };
        if (signal.aborted) return resolve();
        signal.addEventListener('abort', done);
        wakers.add(wake);
        wake();
      }),
  };
}
