/** Lets a few through at once and a bounded number wait. */
interface Turnstile {
  /** Undefined when too many wait already; nothing was done then. */
  pass<T>(task: () => Promise<T>): Promise<{ readonly result: T } | undefined>;
}

export function createTurnstile(atOnce: number, maxWaiting: number): Turnstile {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return {
    async pass(task) {
      if (inside >= atOnce) {
        if (waiting.length >= maxWaiting) return undefined;
        await new Promise<void>((enter) => waiting.push(enter));
      } else inside++;
      try {
        return { result: await task() };
      } finally {
        // Whoever waits takes this place; nobody can slip in between.
        const next = waiting.shift();
        if (next) next();
        else inside--;
      }
    },
  };
}
