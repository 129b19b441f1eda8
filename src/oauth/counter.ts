/** Counts by key within a span of time. Holds a bounded number of keys: the one not seen for longest goes first. */
export interface Counter {
  /** One more; how many there are now. */
  add(key: string): number;
  /** How many there are. */
  count(key: string): number;
  /** Milliseconds until the count begins anew. */
  remaining(key: string): number;
}

interface CounterOptions {
  readonly spanMs: number;
  readonly maxKeys: number;
  readonly now: () => number;
}

export function createCounter({ spanMs, maxKeys, now }: CounterOptions): Counter {
  const counts = new Map<string, { count: number; since: number }>();
  const current = (key: string) => {
    const found = counts.get(key);
    const age = now() - (found?.since ?? 0);
    // A count from the future is of a clock that was set back since.
    return age >= 0 && age < spanMs ? found : undefined;
  };

  return {
    add(key) {
      const { count, since } = current(key) ?? { count: 0, since: now() };
      counts.delete(key);
      counts.set(key, { count: count + 1, since });
      if (counts.size > maxKeys) counts.delete(counts.keys().next().value ?? key);
      return count + 1;
    },
    count: (key) => current(key)?.count ?? 0,
    remaining: (key) => Math.max(0, spanMs - (now() - (current(key)?.since ?? now() - spanMs))),
  };
}
