/** From the Authorization header to the principal. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BEARER, type Presentation } from '../../shared/presentation.ts';
import { accessOf, FULL_SCOPES, type Principal, type Scope, scopeParts } from '../../shared/principal.ts';

/**
 * Undefined where the token is missing or not valid; throws `unauthorized` where it is, but may not be presented like
 * this. Default: as a bearer token.
 */
export type Authenticate = (
  token: string | undefined,
  presented?: Presentation,
) => Promise<Principal | undefined>;

export interface PresentedToken {
  readonly token: string | undefined;
  readonly presented: Presentation;
}

/** The token of a request, alone or with the proof of a key (`Authorization: DPoP …`, RFC 9449). */
export function presentedToken({ headers, method = '' }: IncomingMessage, path: string): PresentedToken {
  const bound = /^DPoP\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  if (bound === undefined) return { token: bearerTokenOf(headers.authorization), presented: BEARER };
  const proof = headers.dpop === undefined ? undefined : String(headers.dpop);
  return { token: bound, presented: { scheme: 'dpop', proof, method, path } };
}

/** The token of `Authorization: Bearer …`, which may have any characters but blanks: operators choose tokens of their own. */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
}

/** The first that accepts the token decides. */
export function anyOf(...authenticators: readonly Authenticate[]): Authenticate {
  return async (token, presented) => {
    for (const authenticate of authenticators) {
      const principal = await authenticate(token, presented);
      if (principal) return principal;
    }
    return undefined;
  };
}

/** For what is about all notebooks: a token for some of them, or without any scope, opens nothing. */
export function withGeneralScope(authenticate: Authenticate): Authenticate {
  return async (token, presented) => {
    const principal = await authenticate(token, presented);
    return principal && accessOf(principal.scopes) !== undefined ? principal : undefined;
  };
}

/** Scopes for notebooks that are not served mean nothing: an issuer elsewhere may name as many as it likes. */
export function inServedNotebooks(authenticate: Authenticate, notebooks: readonly string[]): Authenticate {
  const isServed = (scope: Scope) => {
    const notebook = scopeParts(scope)?.notebook;
    return notebook === undefined || notebooks.includes(notebook);
  };
  return async (token, presented) => {
    const principal = await authenticate(token, presented);
    return principal && { ...principal, scopes: principal.scopes.filter(isServed) };
  };
}

/** Fixed tokens, compared in constant time and never kept as they are. */
export function bearerTokens(tokens: readonly string[]): Authenticate {
  const known = tokens.map((token) => ({ hash: hashOf(token), principal: principalOf(token) }));
  return async (token, presented = BEARER) => {
    if (token === undefined || presented.scheme === 'dpop') return undefined;
    const hash = hashOf(token);
    let found: Principal | undefined;
    // All are compared, so that the time does not depend on which one fits.
    for (const { hash: other, principal } of known) if (timingSafeEqual(hash, other)) found = principal;
    return found;
  };
}

function principalOf(token: string): Principal {
  return { id: bearerId(token), kind: 'bearer', scopes: FULL_SCOPES };
}

/** The id of callers with this token. */
export function bearerId(token: string): string {
  return `bearer:${hashOf(token).toString('hex').slice(0, 12)}`;
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
