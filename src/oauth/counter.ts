/** Counts by key within a span of time. Holds a bounded number of keys: the one not seen for longest goes first. */
export interface Counter {
  /** One more; how many there are now. */
  add(key: string): number;
  /** One less: this one does not count after all. */
  undo(key: string): void;
  forget(key: string): void;
  /** Milliseconds until the count begins anew. */
  remaining(key: string): number;
}

export interface CounterOptions {
  readonly spanMs: number;
  readonly maxKeys: number;
  readonly now: () => number;
  /** At this count the span begins again, so that what follows it lasts its whole length. */
  readonly limit?: number;
}

export function createCounter({ spanMs, maxKeys, now, limit }: CounterOptions): Counter {
  const counts = new Map<string, { count: number; since: number }>();
  const current = (key: string) => {
    const found = counts.get(key);
    return found && now() - found.since < spanMs ? found : undefined;
  };

  return {
    add(key) {
      const { count, since } = current(key) ?? { count: 0, since: now() };
      counts.delete(key);
      counts.set(key, { count: count + 1, since: count + 1 === limit ? now() : since });
      if (counts.size > maxKeys) counts.delete(counts.keys().next().value ?? key);
      return count + 1;
    },
    undo(key) {
      const found = current(key);
      if (found) found.count--;
    },
    forget: (key) => void counts.delete(key),
    remaining: (key) => Math.max(0, spanMs - (now() - (current(key)?.since ?? now() - spanMs))),
  };
}
