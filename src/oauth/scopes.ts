/** What requests say of scopes, the resource parameter and PKCE. */
import { createHash } from 'node:crypto';
import { covers, FULL_SCOPES, SCOPES, type Scope, scopeParts, scopesIn } from '../shared/principal.ts';
import { OAuthError } from './answers.ts';
import type { Parameters } from './parameters.ts';
import { isSame } from './tickets.ts';

/** Requests a refresh token; grants no access by itself. */
export const OFFLINE_ACCESS = 'offline_access';

interface RequestedScopes {
  readonly scopes: readonly Scope[];
  readonly offline: boolean;
}

/**
 * Unknown scopes are dropped, and the response names those granted. No scope requests full access, for the person to
 * decide on.
 */
export function readScopes(
  text: string | undefined,
  { notebooks }: Pick<Resource, 'notebooks'>,
): RequestedScopes {
  const asked = (text ?? '').split(' ').filter((scope) => scope !== '');
  const scopes = scopesIn(asked).filter((scope) => isServed(scope, notebooks));
  const offline = asked.includes(OFFLINE_ACCESS);
  const isSpecific = asked.some((scope) => scope !== OFFLINE_ACCESS);
  if (isSpecific && scopes.length === 0)
    throw new OAuthError(
      'invalid_scope',
      `None of these scopes exists here. There are: ${SCOPES.join(', ')}`,
    );
  return { scopes: isSpecific ? scopes : FULL_SCOPES, offline };
}

function isServed(scope: Scope, notebooks: readonly string[]): boolean {
  const notebook = scopeParts(scope)?.notebook;
  return notebook === undefined || notebooks.includes(notebook);
}

/** Narrows granted scopes to requested ones; never widens them. Unknown ones are dropped here, too. */
export function narrowScopes(
  text: string | undefined,
  granted: readonly Scope[],
  { notebooks }: Pick<Resource, 'notebooks'>,
): readonly Scope[] {
  if (text === undefined) return granted;
  const asked = text.split(' ').filter((scope) => scope !== '' && scope !== OFFLINE_ACCESS);
  const known = scopesIn(asked).filter((scope) => granted.includes(scope) || isServed(scope, notebooks));
  if (known.some((scope) => !covers(granted, scope)))
    throw new OAuthError('invalid_scope', `More than was granted: ${granted.join(' ')}`);
  if (asked.length > 0 && known.length === 0)
    throw new OAuthError('invalid_scope', `None of these scopes was granted: ${granted.join(' ')}`);
  return known.length === 0 ? granted : known;
}

export type Resource = ReturnType<typeof createResource>;

/**
 * The resource that tokens are for (RFC 8707). Clients spell it with or without a trailing slash, as the issuer or
 * as an MCP endpoint; all spellings are normalized to one.
 */
export function createResource(
  issuer: string,
  resource: string,
  { endpoints, notebooks = [] }: { endpoints: readonly string[]; notebooks?: readonly string[] },
) {
  const addresses = endpoints.map((path) => `${issuer}${path}`);
  const spellings = new Set([issuer, ...addresses, resource].map(canonical));
  const isSame = (spelling: string) => {
    const found = canonical(spelling);
    return found !== undefined && spellings.has(found);
  };
  return {
    id: resource,
    /** Notebooks that have scopes of their own. */
    notebooks,
    isSame,
    /** Throws `invalid_target` when a request names another resource. None named means this one. */
    assertAskedFor(asked: readonly string[]): void {
      if (asked.every(isSame)) return;
      throw new OAuthError('invalid_target', `This server gives out tokens for ${resource} only`);
    },
  };
}

function canonical(text: string): string | undefined {
  if (!URL.canParse(text) || text.includes('#')) return undefined;
  const url = new URL(text);
  const isPlain =
    /^https?:$/.test(url.protocol) && url.search === '' && url.username === '' && url.password === '';
  return isPlain ? url.origin + url.pathname.replace(/\/+$/, '') : undefined;
}

/** PKCE (RFC 7636), S256 only: with `plain`, an attacker who sees the request can redeem the code. */
export function readChallenge(parameters: Parameters): string {
  const challenge = parameters.get('code_challenge');
  if (challenge === undefined)
    throw new OAuthError('invalid_request', 'PKCE is required: code_challenge is missing');
  if (parameters.get('code_challenge_method') !== 'S256')
    throw new OAuthError('invalid_request', 'PKCE is required with code_challenge_method=S256');
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge))
    throw new OAuthError('invalid_request', 'code_challenge is not a SHA-256 in base64url');
  return challenge;
}

export function provesChallenge(verifier: string, challenge: string): boolean {
  const isWellFormed = /^[A-Za-z0-9._~-]{43,128}$/.test(verifier);
  return isSame(createHash('sha256').update(verifier).digest('base64url'), challenge) && isWellFormed;
}
