/** Limits the requests of one address and of one caller. Counted in memory, for a bounded number of them. */
import { createHash } from 'node:crypto';
import { subscriberOf } from '../shared/ip-ranges.ts';
import type { Principal } from '../shared/principal.ts';
import { createTokenBuckets, createWindowCounter } from '../shared/rate-limit.ts';

type OnLimited = (kind: 'address' | 'principal') => void;

/** So many requests in so many seconds, counted from the first; 0 requests for no limit. */
interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

interface RateLimitOptions {
  readonly perAddress: RateLimit;
  readonly perPrincipal: RateLimit;
  /** Most addresses, and most callers, that are remembered; the one that was quiet for longest is evicted. */
  readonly maxKeys?: number;
  readonly onLimited?: OnLimited;
}

/** Each resolves to the seconds to wait, or to undefined when the request may go on. */
export interface RateLimits {
  /** Before the caller is authenticated. */
  byAddress(address: string): Promise<number | undefined>;
  /** Anonymous callers are limited by their address alone. */
  byPrincipal(principal: Principal): Promise<number | undefined>;
}

export function createRateLimits(options: RateLimitOptions): RateLimits {
  const { perAddress, perPrincipal, maxKeys, onLimited = () => {} } = options;
  const address = createLimit(perAddress, maxKeys);
  const principal = createLimit(perPrincipal, maxKeys);
  return {
    async byAddress(text) {
      const wait = address(subscriberOf(text));
      if (wait !== undefined) onLimited('address');
      return wait;
    },
    async byPrincipal({ id, kind }) {
      if (kind === 'anonymous') return undefined;
      const wait = principal(id);
      if (wait !== undefined) onLimited('principal');
      return wait;
    },
  };
}

/** The wait in seconds of a key that has used up its requests; refused requests do not make it longer. */
function createLimit(
  { requests, seconds }: RateLimit,
  maxKeys: number | undefined,
): (key: string) => number | undefined {
  if (requests <= 0) return () => undefined;
  const counter = createWindowCounter({ spanMs: seconds * 1000, maxKeys });
  return (key) =>
    counter.add(key) <= requests ? undefined : Math.max(1, Math.ceil(counter.remaining(key) / 1000));
}

interface BurstLimitOptions {
  readonly perSecond: number;
  readonly burst: number;
  readonly onLimited: OnLimited;
}

/** The limit that a request is above, and the seconds to wait. */
interface BurstExcess {
  readonly reason: 'ip' | 'token';
  readonly wait: number;
}

/** Token buckets of each address and of each bearer token, which need not be a good one. */
export type BurstLimits = (address: string, token: string | undefined) => BurstExcess | undefined;

export function createBurstLimits({ perSecond, burst, onLimited }: BurstLimitOptions): BurstLimits {
  const byAddress = createTokenBuckets({ perSecond, burst });
  const byToken = createTokenBuckets({ perSecond, burst });
  return (address, token) => {
    const addressWait = byAddress(subscriberOf(address));
    if (addressWait !== undefined) {
      onLimited('address');
      return { reason: 'ip', wait: addressWait };
    }
    const tokenWait = token === undefined ? undefined : byToken(hashOf(token));
    if (tokenWait === undefined) return undefined;
    onLimited('principal');
    return { reason: 'token', wait: tokenWait };
  };
}

/** Tokens are not kept as they are. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 32);
}
