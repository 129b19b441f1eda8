/** How often one address and one caller may ask. Counted in memory, for a bounded number of them. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { subscriberOf } from '../shared/ip-ranges.ts';
import type { Principal } from '../shared/principal.ts';

/** So many requests in so many seconds, counted from the first; 0 requests for no limit. */
interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

interface RateLimitOptions {
  readonly perAddress: RateLimit;
  readonly perPrincipal: RateLimit;
  /** Of addresses, and of callers; beyond it, who has been quiet for longest is forgotten. */
  readonly maxKeys?: number;
  readonly onLimited?: (kind: 'address' | 'principal') => void;
}

/** Each resolves to the seconds to wait, or to undefined when the request may go on. */
export interface RateLimits {
  /** Before it is known who calls. */
  byAddress(address: string): Promise<number | undefined>;
  /** Callers who need not say who they are are limited by their address alone. */
  byPrincipal(principal: Principal): Promise<number | undefined>;
}

const USUAL_MAX_KEYS = 20_000;

export function createRateLimits(options: RateLimitOptions): RateLimits {
  const { perAddress, perPrincipal, maxKeys = USUAL_MAX_KEYS, onLimited = () => {} } = options;
  const address = createCounter(perAddress, maxKeys);
  const principal = createCounter(perPrincipal, maxKeys);
  return {
    async byAddress(text) {
      // Whoever has one address of IPv6 has 2^64 of them.
      const wait = await address(subscriberOf(text));
      if (wait !== undefined) onLimited('address');
      return wait;
    },
    async byPrincipal({ id, kind }) {
      if (kind === 'anonymous') return undefined;
      const wait = await principal(id);
      if (wait !== undefined) onLimited('principal');
      return wait;
    },
  };
}

type Counter = (key: string) => Promise<number | undefined>;

function createCounter({ requests, seconds }: RateLimit, maxKeys: number): Counter {
  if (requests <= 0) return async () => undefined;
  const limiter = new RateLimiterMemory({ points: requests, duration: seconds });
  /** In the order of their last request. The limiter forgets a key when its time is over, but has no bound. */
  const keys = new Set<string>();
  return async (key) => {
    keys.delete(key);
    keys.add(key);
    if (keys.size > maxKeys) {
      const [quietest] = keys;
      if (quietest !== undefined && keys.delete(quietest)) await limiter.delete(quietest);
    }
    try {
      await limiter.consume(key);
      return undefined;
    } catch (reason) {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      return Math.max(1, Math.ceil(reason.msBeforeNext / 1000));
    }
  };
}

/**
 * How often one key may ask, as a bucket that fills steadily: a burst at once, then so many a second. Counted in
 * memory, for a bounded number of keys; beyond it, who has been quiet for longest is forgotten, and its bucket full.
 */
interface BucketOptions {
  readonly perSecond: number;
  readonly burst: number;
  readonly maxKeys?: number;
  /** In milliseconds. */
  readonly now?: () => number;
}

/** The seconds to wait; undefined when the request may go on. */
type TokenBuckets = (key: string) => number | undefined;

const MAX_BUCKETS = 20_000;

export function createTokenBuckets(options: BucketOptions): TokenBuckets {
  const { perSecond, burst, maxKeys = MAX_BUCKETS, now = () => performance.now() } = options;
  /** In the order of their last request. */
  const buckets = new Map<string, { readonly left: number; readonly at: number }>();
  return (key) => {
    const at = now();
    const before = buckets.get(key) ?? { left: burst, at };
    const left = Math.min(burst, before.left + ((at - before.at) / 1000) * perSecond);
    const isEnough = left >= 1;
    buckets.delete(key);
    buckets.set(key, { left: isEnough ? left - 1 : left, at });
    if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value ?? key);
    return isEnough ? undefined : Math.max(1, Math.ceil((1 - left) / perSecond));
  };
}
