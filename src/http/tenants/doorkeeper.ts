/** The token in Authorization: how it is read, refused and limited. */

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { subscriberOf } from '../../shared/ip-ranges.ts';
import { createTokenBuckets } from '../../shared/rate-limit.ts';
import { HttpRefusal } from '../refusal.ts';

/** `Bearer` in any case, and any token without blanks: an operator may have chosen any. */
export function gatewayTokenOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
}

export function unauthorized(token: string | undefined): HttpRefusal {
  return new HttpRefusal(401, 'unauthorized', {
    headers: { 'WWW-Authenticate': 'Bearer realm="quire"' },
    logged: { reason: token === undefined ? 'no_token' : 'verify_failed' },
    counted: 'unauthorized',
  });
}

/** How often one address and one token may ask; each by itself, and before it is known whether the token is good. */

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
    throw new HttpRefusal(429, 'rate_limited', {
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
