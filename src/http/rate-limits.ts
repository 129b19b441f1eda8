/** How often one address and one caller may ask. Counted in memory, for a bounded number of them. */
import { subscriberOf } from '../shared/ip-ranges.ts';
import type { Principal } from '../shared/principal.ts';
import { createWindowCounter } from '../shared/rate-limit.ts';

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

export function createRateLimits(options: RateLimitOptions): RateLimits {
  const { perAddress, perPrincipal, maxKeys, onLimited = () => {} } = options;
  const address = createLimit(perAddress, maxKeys);
  const principal = createLimit(perPrincipal, maxKeys);
  return {
    async byAddress(text) {
      // Whoever has one address of IPv6 has 2^64 of them.
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

/** The seconds to wait, by key; refused requests do not make the wait longer. */
function createLimit(
  { requests, seconds }: RateLimit,
  maxKeys: number | undefined,
): (key: string) => number | undefined {
  if (requests <= 0) return () => undefined;
  const counter = createWindowCounter({ spanMs: seconds * 1000, maxKeys });
  return (key) =>
    counter.add(key) <= requests ? undefined : Math.max(1, Math.ceil(counter.remaining(key) / 1000));
}
