/** State for as long as the process runs. */
import { createEntries, type Entry, entryOf } from './entries.ts';
import type { StateStore } from './state-store.ts';

export interface MemoryStateOptions {
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
