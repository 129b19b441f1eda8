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
