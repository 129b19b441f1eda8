/** Waits for some time, or until somebody calls. */
export interface WakeUp {
  /** The one who waits goes on after `afterMs`, at the latest. */
  call(afterMs: number): void;
  /** A call that came while nobody waited counts. */
  wait(ms: number): Promise<void>;
}

export function createWakeUp(signal: AbortSignal): WakeUp {
  let called: number | undefined;
  let shorten: ((ms: number) => void) | undefined;
  return {
    call(afterMs) {
      if (shorten) shorten(afterMs);
      else called = afterMs;
    },
    wait: (ms) =>
      new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        let until = Number.POSITIVE_INFINITY;
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          shorten = undefined;
          resolve();
        };
        shorten = (most) => {
          if (performance.now() + most >= until) return;
          until = performance.now() + most;
          clearTimeout(timer);
          timer = setTimeout(end, most);
          timer.unref();
        };
        if (signal.aborted) return end();
        signal.addEventListener('abort', end, { once: true });
        shorten(Math.min(ms, called ?? ms));
        called = undefined;
      }),
  };
}
