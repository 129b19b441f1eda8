/**
 * A key-value store with TTL for what the server remembers between calls and restarts: OAuth clients, grants, tokens,
 * consents. Secrets are never keys or values; their hashes are.
 */
export interface StateStore {
  /** Whether several processes work on it at the same time. */
  readonly isShared?: true;
  get<T>(key: string): Promise<T | undefined>;
  /** As `get`; where several processes share the state, the answer may be almost a second old. */
  recent<T>(key: string): Promise<T | undefined>;
  /** Without `ttlSeconds`, the value never expires. */
  put(key: string, value: unknown, ttlSeconds?: number): Promise<void>;
  /**
   * Puts the value if the one there is still `expected`, which was read or written before; undefined stands for none.
   * Atomic: one of several callers who expect the same succeeds, and is told so.
   */
  swap(key: string, expected: unknown, value: unknown, ttlSeconds?: number): Promise<boolean>;
  /** Reads and removes atomically: one of several callers gets the value. */
  take<T>(key: string): Promise<T | undefined>;
  delete(key: string): Promise<void>;
  /** Keys that begin with `prefix`, in order. */
  list(prefix: string): Promise<string[]>;
  /** Called with each key that was changed, by any process; with an empty one when any may have been. */
  watch(changed: (key: string) => void): () => void;
  close(): Promise<void>;
}

/** How a value is read: as it is, or as it was within the last second, for what every call asks. */
export type StateRead = 'get' | 'recent';

export interface Entry {
  /** JSON, so that a caller cannot change the stored value through the object it was given. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
}

/** Expired entries are evicted when there are twice as many entries as after the last eviction, and more than this. */
const FEW = 100;

export type Entries = ReturnType<typeof createEntries>;

export function createEntries(now: () => number) {
  const kept = new Map<string, Entry>();
  let enough = FEW;
  const isOver = ({ expiresAt }: Entry) => expiresAt !== undefined && expiresAt <= now();
  const forgetExpired = () => {
    for (const [key, entry] of kept) if (isOver(entry)) kept.delete(key);
    enough = Math.max(FEW, 2 * kept.size);
  };

  return {
    /** Expired entries may be among them. */
    get size() {
      return kept.size;
    },
    get(key: string): Entry | undefined {
      const entry = kept.get(key);
      return entry && !isOver(entry) ? entry : undefined;
    },
    set(key: string, entry: Entry): void {
      kept.set(key, entry);
      if (kept.size > enough) forgetExpired();
    },
    delete: (key: string) => kept.delete(key),
    /** Sorted, without expired ones. */
    keys: (prefix: string) =>
      [...kept]
        .filter(([key, entry]) => key.startsWith(prefix) && !isOver(entry))
        .map(([key]) => key)
        .sort(),
    /** Evicts expired entries first. */
    live() {
      forgetExpired();
      return kept.entries();
    },
  };
}

interface StateOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export function openMemoryState({ now = Date.now }: StateOptions = {}): StateStore {
  return storeOver(createEntries(now), { now, close: async () => {} });
}

/** A value as it is stored. Throws for what JSON cannot hold. */
export function stateText(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError('A state value must be something JSON can hold');
  return text;
}

/** A store whose entries are in memory; `record` makes a change of them durable. */
export function storeOver(
  entries: Entries,
  {
    now,
    record,
    close,
  }: Required<StateOptions> & {
    /** Without an entry, the key was removed. */
    readonly record?: (key: string, entry?: Entry) => Promise<void>;
    readonly close: () => Promise<void>;
  },
): StateStore {
  const watchers = new Set<(key: string) => void>();
  const tell = (key: string) => {
    for (const changed of watchers) changed(key);
  };
  const read = <T>(entry: Entry | undefined) => entry && (JSON.parse(entry.text) as T);
  const remove = (key: string) => {
    if (!entries.delete(key)) return undefined;
    tell(key);
    return record?.(key);
  };
  const get = async <T>(key: string) => read<T>(entries.get(key));
  const put = async (key: string, value: unknown, ttlSeconds?: number) => {
    const text = stateText(value);
    const entry = { text, expiresAt: ttlSeconds === undefined ? undefined : now() + ttlSeconds * 1000 };
    entries.set(key, entry);
    tell(key);
    await record?.(key, entry);
  };
  return {
    get,
    recent: get,
    put,
    async swap(key, expected, value, ttlSeconds) {
      if (entries.get(key)?.text !== JSON.stringify(expected)) return false;
      await put(key, value, ttlSeconds);
      return true;
    },
    async take<T>(key: string) {
      const entry = entries.get(key);
      const recorded = remove(key);
      // In memory, the first of several takers goes on before the others find the entry gone.
      if (recorded) await recorded;
      return read<T>(entry);
    },
    delete: async (key) => remove(key),
    list: async (prefix) => entries.keys(prefix),
    watch: (changed) => watched(watchers, changed),
    close,
  };
}

/** Adds a function of its own for each caller. Returns one that removes it. */
export function watched(watchers: Set<(key: string) => void>, changed: (key: string) => void): () => void {
  const watcher = (key: string) => changed(key);
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}
