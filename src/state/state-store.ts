/**
 * What the server must remember between calls and restarts: OAuth clients, grants and tokens, consents. Small
 * values by key, each with an end if it has one. Secrets are never keys or values; their hashes are.
 */
export interface StateStore {
  get<T>(key: string): Promise<T | undefined>;
  /** Kept until removed, or for `ttlSeconds`. */
  put(key: string, value: unknown, ttlSeconds?: number): Promise<void>;
  /** Reads and removes in one step: of several who ask, one gets it. */
  take<T>(key: string): Promise<T | undefined>;
  delete(key: string): Promise<void>;
  /** Keys that begin with `prefix`, in order. */
  list(prefix: string): Promise<string[]>;
  close(): Promise<void>;
}
