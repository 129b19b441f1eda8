/**
 * A key-value store with TTL for what the server remembers between calls and restarts: OAuth clients, grants, tokens,
 * consents. Secrets are never keys or values; their hashes are.
 */
export interface StateStore {
  get<T>(key: string): Promise<T | undefined>;
  /** Without `ttlSeconds`, the value never expires. */
  put(key: string, value: unknown, ttlSeconds?: number): Promise<void>;
  /** Reads and removes atomically: one of several callers gets the value. */
  take<T>(key: string): Promise<T | undefined>;
  delete(key: string): Promise<void>;
  /** Keys that begin with `prefix`, in order. */
  list(prefix: string): Promise<string[]>;
  close(): Promise<void>;
}

export interface Entry {
  /** JSON, so that a caller cannot change the stored value through the object it was given. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
}

export interface Entries {
  /** Expired entries may be among them. */
  readonly size: number;
  get(key: string): Entry | undefined;
  set(key: string, entry: Entry): void;
  delete(key: string): boolean;
  /** Sorted, without expired ones. */
  keys(prefix: string): string[];
  /** Evicts expired entries first. */
  live(): IterableIterator<[string, Entry]>;
}

/** Expired entries are evicted when there are twice as many entries as after the last eviction, and more than this. */
const FEW = 100;

export function createEntries(now: () => number): Entries {
  const kept = new Map<string, Entry>();
  let enough = FEW;
  const isOver = ({ expiresAt }: Entry) => expiresAt !== undefined && expiresAt <= now();
  const forgetExpired = () => {
    for (const [key, entry] of kept) if (isOver(entry)) kept.delete(key);
    enough = Math.max(FEW, 2 * kept.size);
  };

  return {
    get size() {
      return kept.size;
    },
    get(key) {
      const entry = kept.get(key);
      return entry && !isOver(entry) ? entry : undefined;
    },
    set(key, entry) {
      kept.set(key, entry);
      if (kept.size > enough) forgetExpired();
    },
    delete: (key) => kept.delete(key),
    keys: (prefix) =>
      [...kept]
        .filter(([key, entry]) => key.startsWith(prefix) && !isOver(entry))
        .map(([key]) => key)
        .sort(),
    live() {
      forgetExpired();
      return kept.entries();
    },
  };
}

export function entryOf(value: unknown, ttlSeconds: number | undefined, now: number): Entry {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError('A state value must be something JSON can hold');
  return ttlSeconds === undefined ? { text } : { text, expiresAt: now + ttlSeconds * 1000 };
}

interface MemoryStateOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export function openMemoryState({ now = Date.now }: MemoryStateOptions = {}): StateStore {
  const entries = createEntries(now);
  return {
    get: async <T>(key: string) => read<T>(entries.get(key)),
    async put(key, value, ttlSeconds) {
      entries.set(key, entryOf(value, ttlSeconds, now()));
    },
    async take<T>(key: string) {
      const entry = entries.get(key);
      entries.delete(key);
      return read<T>(entry);
    },
    async delete(key) {
      entries.delete(key);
    },
    list: async (prefix) => entries.keys(prefix),
    close: async () => {},
  };
}

function read<T>(entry: Entry | undefined): T | undefined {
  return entry && (JSON.parse(entry.text) as T);
}
