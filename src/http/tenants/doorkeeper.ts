/** Who is at the gateway, by the token in Authorization. */

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { subscriberOf } from '../../shared/ip-ranges.ts';
import type { Principal } from '../../shared/principal.ts';
import { createTokenBuckets } from '../../shared/rate-limit.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import { endWithToken } from '../mcp-gate.ts';
import { HttpRefusal } from '../refusal.ts';

export interface GatewayAuthenticator {
  /** Throws what is to be answered to whoever may not come in. */
  admit(request: IncomingMessage): Promise<Principal>;
  /** The same where an id that nobody can guess is enough, unless somebody says who they are. */
  admitNamed(request: IncomingMessage): Promise<Principal | undefined>;
  /** Ends a stream when the token it was opened with is over. */
  watchOver(request: IncomingMessage, response: ServerResponse, principal: Principal): void;
}

/** `Bearer` in any case, and any token without blanks: an operator may have chosen any. */
export function gatewayTokenOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
}

export function createGatewayAuthenticator(authenticate: Authenticate): GatewayAuthenticator {
  const admit = async (request: IncomingMessage) => {
    const token = gatewayTokenOf(request);
    const principal = await authenticate(token);
    if (principal) return principal;
    throw unauthorized(token);
  };
  return {
    admit,
    admitNamed: async (request) => (request.headers.authorization === undefined ? undefined : admit(request)),
    watchOver(request, response, { expiresAt }) {
      if (expiresAt !== undefined) endWithToken(response, () => authenticate(gatewayTokenOf(request)));
    },
  };
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
