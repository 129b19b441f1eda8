/** Computes at the first call and caches the result. */
export function memoize<T>(compute: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => {
    result ??= { value: compute() };
    return result.value;
  };
}

/** Computes again only after the key has changed. */
export function memoizeWhile<Key, T>(keyOf: () => Key, compute: (key: Key) => T): () => T {
  let last: { readonly key: Key; readonly value: T } | undefined;
  return () => {
    const key = keyOf();
    if (!last || last.key !== key) last = { key, value: compute(key) };
    return last.value;
  };
}

/** For work that is done once: all callers share it, and a failure is tried again by the next one. */
export function onceDone<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}

/** A cache with a time to live and a bounded number of entries. */
export class TtlCache<Value> {
  readonly #entries = new Map<string, { readonly until: number; readonly value: Value }>();
  readonly #options: { readonly forMs: number; readonly most: number; readonly now: () => number };

  constructor(options: { readonly forMs: number; readonly most: number; readonly now: () => number }) {
    this.#options = options;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry && entry.until > this.#options.now() ? entry.value : undefined;
  }

  set(key: string, value: Value): void {
    const { forMs, most, now } = this.#options;
    this.#entries.delete(key);
    this.#entries.set(key, { until: now() + forMs, value });
    for (const [oldest, { until }] of this.#entries) {
      if (this.#entries.size <= most && until > now()) return;
      this.#entries.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}

/** A map of bounded size that evicts the key that was set the longest time ago. */
export class LruMap<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #maxKeys: number;

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#maxKeys) this.#entries.delete(this.#entries.keys().next().value ?? key);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
