/**
 * The deadline of a request. Progress restarts it, up to five times its length in all; it pauses, for a limited time,
 * while the operator is asked something on behalf of the server.
 */

const MAX_LENGTHS = 5;

interface DeadlineOptions {
  readonly timeoutMs: number;
  /** The sum of all pauses. */
  readonly maxPauseMs: number;
  /** Aborted when the caller gives up. */
  readonly signal?: AbortSignal;
}

export interface Deadline {
  /** Aborted at the deadline, or when the caller gives up. */
  readonly signal: AbortSignal;
  /** Why it was aborted. */
  verdict(): 'timeout' | 'cancelled' | undefined;
  progress(): void;
  pause(): void;
  resume(): void;
  /** To be called when the request is over. */
  stop(): void;
}

export function startDeadline({ timeoutMs, maxPauseMs, signal }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  let verdict: 'timeout' | 'cancelled' | undefined;
  let idleLeft = timeoutMs;
  let totalLeft = timeoutMs * MAX_LENGTHS;
  let pauseLeft = maxPauseMs;
  let pauses = 0;
  let since = performance.now();
  let timer: NodeJS.Timeout | undefined;

  const cancel = () => end('cancelled', 'The caller gave up');
  if (signal?.aborted) cancel();
  else signal?.addEventListener('abort', cancel, { once: true });
  arm();

  return {
    signal: controller.signal,
    verdict: () => verdict,
    progress() {
      account();
      idleLeft = timeoutMs;
      arm();
    },
    pause() {
      account();
      pauses++;
      arm();
    },
    resume() {
      account();
      pauses = Math.max(pauses - 1, 0);
      arm();
    },
    stop() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    },
  };

  function account(): void {
    const now = performance.now();
    const gone = now - since;
    since = now;
    if (pauses > 0) pauseLeft -= gone;
    else {
      idleLeft -= gone;
      totalLeft -= gone;
    }
  }

  function arm(): void {
    clearTimeout(timer);
    if (controller.signal.aborted) return;
    const left = pauses > 0 ? pauseLeft : Math.min(idleLeft, totalLeft);
    timer = setTimeout(() => end('timeout', `No answer within ${timeoutMs} ms`), Math.max(left, 0));
  }

  function end(why: 'timeout' | 'cancelled', reason: string): void {
    if (verdict) return;
    verdict = why;
    clearTimeout(timer);
    controller.abort(reason);
  }
}

/** Rejects with `reason` when `signal` is aborted before `work` is done. */
export function orAbort<T>(work: Promise<T>, signal: AbortSignal, reason: () => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(reason());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
