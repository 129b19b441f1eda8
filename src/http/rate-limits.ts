/**
 * Limits the requests of one address and of one caller. Counted in memory, for a bounded number of them, and together with
 * other servers where they share a database.
 */
import { createHash } from 'node:crypto';
import { subscriberOf } from '../shared/ip-ranges.ts';
import type { Principal } from '../shared/principal.ts';
import { createTokenBuckets, createWindowCounter } from '../shared/rate-limit.ts';
import type { RequestCounts } from '../state/postgres/request-counts.ts';
import { createSharedLimit } from './shared-limit.ts';

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
  /** What all servers have counted; without it, this one counts alone. */
  readonly counts?: Pick<RequestCounts, 'add'>;
}

export type RateLimits = ReturnType<typeof createRateLimits>;

/** Each resolves to the seconds to wait, or to undefined when the request may go on. */
export function createRateLimits(options: RateLimitOptions) {
  const { perAddress, perPrincipal, onLimited = () => {} } = options;
  const address = createLimit('address', perAddress, options);
  const principal = createLimit('principal', perPrincipal, options);
  return {
    /** Before the caller is authenticated. */
    async byAddress(text: string): Promise<number | undefined> {
      const wait = await address(subscriberOf(text));
      if (wait !== undefined) onLimited('address');
      return wait;
    },
    /** Anonymous callers are limited by their address alone. */
    async byPrincipal({ id, kind }: Principal): Promise<number | undefined> {
      if (kind === 'anonymous') return undefined;
      const wait = await principal(id);
      if (wait !== undefined) onLimited('principal');
      return wait;
    },
  };
}

/** The wait in seconds of a key that has used up its requests; refused requests do not make it longer. */
export function createLimit(
  name: string,
  { requests, seconds }: RateLimit,
  { maxKeys, counts }: Pick<RateLimitOptions, 'maxKeys' | 'counts'>,
): (key: string) => undefined | number | Promise<number | undefined> {
  if (requests <= 0) return () => undefined;
  if (counts) return createSharedLimit({ name, requests, seconds, maxKeys, counts });
  const counter = createWindowCounter({ spanMs: seconds * 1000, maxKeys });
  return (key) =>
    counter.add(key) <= requests ? undefined : Math.max(1, Math.ceil(counter.remaining(key) / 1000));
}

interface BurstLimitOptions {
  readonly perSecond: number;
  readonly burst: number;
  readonly onLimited: OnLimited;
  /** What all servers have counted; without it, this one counts alone. */
  readonly counts?: Pick<RequestCounts, 'add'>;
}

export type BurstLimits = ReturnType<typeof createBurstLimits>;

/**
 * Token buckets of each address and of each bearer token, which need not be a good one. Resolves to the limit that a
 * request is above, and the seconds to wait. Several servers together count a burst in the time that its tokens take to
 * come back.
 */
export function createBurstLimits({ perSecond, burst, onLimited, counts }: BurstLimitOptions) {
  const limitOf = (name: string) =>
    counts
      ? createLimit(name, { requests: Math.ceil(burst), seconds: Math.ceil(burst) / perSecond }, { counts })
      : createTokenBuckets({ perSecond, burst });
  const [byAddress, byToken] = [limitOf('burst address'), limitOf('burst token')];
  return async (address: string, token: string | undefined) => {
    const addressWait = await byAddress(subscriberOf(address));
    if (addressWait !== undefined) {
      onLimited('address');
      return { reason: 'ip', wait: addressWait };
    }
    const tokenWait = token === undefined ? undefined : await byToken(hashOf(token));
    if (tokenWait === undefined) return undefined;
    onLimited('principal');
    return { reason: 'token', wait: tokenWait };
  };
}

/** Tokens are not kept as they are. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 32);
}
