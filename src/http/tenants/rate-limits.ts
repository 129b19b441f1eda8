/** How often one address and one token may ask; each by itself, and before it is known whether the token is good. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { subscriberOf } from '../../shared/ip-ranges.ts';
import { createTokenBuckets } from '../token-buckets.ts';
import { gatewayTokenOf } from './doorkeeper.ts';
import { GatewayRefusal } from './refusal.ts';

export interface GatewayLimits {
  /** Throws what is to be answered to whoever asks too often. */
  check(request: IncomingMessage, address: string): void;
}

interface LimitOptions {
  readonly perSecond: number;
  readonly burst: number;
  readonly onLimited: (kind: 'address' | 'principal') => void;
}

export function createGatewayLimits({ perSecond, burst, onLimited }: LimitOptions): GatewayLimits {
  const byAddress = createTokenBuckets({ perSecond, burst });
  const byToken = createTokenBuckets({ perSecond, burst });
  const refuse = (wait: number, reason: 'ip' | 'token') => {
    onLimited(reason === 'ip' ? 'address' : 'principal');
    throw new GatewayRefusal(429, 'rate_limited', {
      answer: { reason },
      headers: { 'Retry-After': String(wait) },
      logged: { reason },
    });
  };
  return {
    check(request, address) {
      // Whoever has one address of IPv6 has 2^64 of them.
      const wait = byAddress(subscriberOf(address));
      if (wait !== undefined) refuse(wait, 'ip');
      const token = gatewayTokenOf(request);
      const tokenWait = token === undefined ? undefined : byToken(hashOf(token));
      if (tokenWait !== undefined) refuse(tokenWait, 'token');
    },
  };
}

/** Tokens are not kept as they are. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 32);
}
