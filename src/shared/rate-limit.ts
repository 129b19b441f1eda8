/**
 * Rates by key, counted in memory: a fixed window, a sliding window and a token bucket. Windows and buckets are held for
 * a bounded number of keys; beyond it, the key that was quiet for longest is evicted, and counts as new.
 */
import { LruMap } from './memoize.ts';

interface KeyLimits {
  readonly maxKeys?: number;
  /** In milliseconds. */
  readonly now?: () => number;
}

const MAX_KEYS = 20_000;
const monotonic = () => performance.now();

export type WindowCounter = ReturnType<typeof createWindowCounter>;

/** Counts within windows of a fixed length, each of which begins with the first event after the last window. */
export function createWindowCounter(options: KeyLimits & { readonly spanMs: number }) {
  const { spanMs, maxKeys = MAX_KEYS, now = monotonic } = options;
  const windows = new LruMap<{ readonly count: number; readonly since: number }>(maxKeys);
  const current = (key: string) => {
    const found = windows.get(key);
    const age = now() - (found?.since ?? 0);
    // A window that begins in the future was counted before the clock was set back.
    return age >= 0 && age < spanMs ? found : undefined;
  };
  return {
    /** One more; how many there are now. */
    add(key: string): number {
      const { count, since } = current(key) ?? { count: 0, since: now() };
      windows.set(key, { count: count + 1, since });
      return count + 1;
    },
    count: (key: string) => current(key)?.count ?? 0,
    /** Milliseconds until the window ends. */
    remaining: (key: string) => Math.max(0, spanMs - (now() - (current(key)?.since ?? now() - spanMs))),
  };
}

/** Other processes may add events of keys that are never counted here. */
const TRIM_EVERY = 1_024;

/** Counts events of the last `spanMs` by their own times, which come in order. */
export function createSlidingCounter(spanMs: number, now: () => number) {
  const logs = new Map<string, { times: number[]; expired: number }>();
  const trim = (log: { times: number[]; expired: number }) => {
    const since = now() - spanMs;
    while (log.expired < log.times.length && (log.times[log.expired] ?? 0) <= since) log.expired++;
    if (log.expired > log.times.length / 2) {
      log.times = log.times.slice(log.expired);
      log.expired = 0;
    }
    return log.times.length - log.expired;
  };
  return {
    add(key: string, time: number): void {
      const log = logs.get(key) ?? { times: [], expired: 0 };
      logs.set(key, log);
      log.times.push(time);
      if (log.times.length % TRIM_EVERY === 0) trim(log);
    },
    count(key: string): number {
      const log = logs.get(key);
      return log ? trim(log) : 0;
    },
  };
}

interface BucketOptions extends KeyLimits {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * A bucket of tokens per key: a burst at once, then so many a second. Returns the seconds to wait; undefined when the
 * request may go on.
 */
export function createTokenBuckets(options: BucketOptions) {
  const { perSecond, burst, maxKeys = MAX_KEYS, now = monotonic } = options;
  const buckets = new LruMap<{ readonly tokens: number; readonly at: number }>(maxKeys);
  return (key: string): number | undefined => {
    const at = now();
    const before = buckets.get(key) ?? { tokens: burst, at };
    const tokens = Math.min(burst, before.tokens + ((at - before.at) / 1000) * perSecond);
    const isEnough = tokens >= 1;
    buckets.set(key, { tokens: isEnough ? tokens - 1 : tokens, at });
    return isEnough ? undefined : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  };
}
