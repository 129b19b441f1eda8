/** From the Authorization header to the principal. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { FULL_SCOPES, type Principal } from '../../shared/principal.ts';

/** Undefined where the token is missing or not valid. */
export type Authenticate = (token: string | undefined) => Promise<Principal | undefined>;

/** The token of `Authorization: Bearer …`, which may have any characters but blanks: operators choose tokens of their own. */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
}

/** The first that accepts the token decides. */
export function anyOf(...authenticators: readonly Authenticate[]): Authenticate {
  return async (token) => {
    for (const authenticate of authenticators) {
      const principal = await authenticate(token);
      if (principal) return principal;
    }
    return undefined;
  };
}

/** A token without any scope opens nothing. */
export function withAnyScope(authenticate: Authenticate): Authenticate {
  return async (token) => {
    const principal = await authenticate(token);
    return principal && principal.scopes.length > 0 ? principal : undefined;
  };
}

/** Fixed tokens, compared in constant time and never kept as they are. */
export function bearerTokens(tokens: readonly string[]): Authenticate {
  const known = tokens.map((token) => ({ hash: hashOf(token), principal: principalOf(token) }));
  return async (token) => {
    if (token === undefined) return undefined;
    const hash = hashOf(token);
    let found: Principal | undefined;
    // All are compared, so that the time does not depend on which one fits.
    for (const { hash: other, principal } of known) if (timingSafeEqual(hash, other)) found = principal;
    return found;
  };
}

function principalOf(token: string): Principal {
  return { id: `bearer:${hashOf(token).toString('hex').slice(0, 12)}`, kind: 'bearer', scopes: FULL_SCOPES };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
