/** How often to look for changes: often while somebody asks about the notes, and rarely when nobody does. */
export interface PollPace {
  /** Somebody relies on what is known now. Whoever waits for the next look is woken when that comes sooner. */
  used(): void;
  /** Resolves when it is time to look again, or the signal says stop. */
  next(signal: AbortSignal): Promise<void>;
}

interface PollPaceOptions {
  /** Between two looks while somebody asks; asked for each time. */
  readonly busyMs: () => number;
  /** The longest between two looks. */
  readonly idleMs: number;
  /** So long after the last question nobody is there any more. */
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
