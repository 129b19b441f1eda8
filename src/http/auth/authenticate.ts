/** From the Authorization header to who is calling. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { type Principal, SCOPES } from '../../shared/principal.ts';

/** Undefined when the caller has to prove itself (again). */
export type Authenticate = (token: string | undefined) => Promise<Principal | undefined>;

/** The token of `Authorization: Bearer …`; undefined when there is none, or the header is of another kind. */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(authorization ?? '')?.[1];
}

/** The first that knows the token decides. */
export function anyOf(...ways: readonly Authenticate[]): Authenticate {
  return async (token) => {
    for (const way of ways) {
      const principal = await way(token);
      if (principal) return principal;
    }
    return undefined;
  };
}

/** Fixed tokens, compared in constant time and never kept as they are. */

export function bearerTokens(tokens: readonly string[]): Authenticate {
  const known = tokens.map((token) => ({ hash: hashOf(token), principal: principalOf(token) }));
  return async (token) => {
    if (token === undefined) return undefined;
    const hash = hashOf(token);
    let found: Principal | undefined;
    // All are compared, whichever fits: how long it takes says nothing.
    for (const { hash: other, principal } of known) if (timingSafeEqual(hash, other)) found = principal;
    return found;
  };
}

function principalOf(token: string): Principal {
  return { id: `bearer:${hashOf(token).toString('hex').slice(0, 12)}`, kind: 'bearer', scopes: SCOPES };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
