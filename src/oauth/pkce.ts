/** Proof that who redeems a code is who asked for it (RFC 7636). S256 alone: `plain` proves nothing to whoever saw the request. */
import { createHash } from 'node:crypto';
import { OAuthError } from './errors.ts';
import type { Parameters } from './parameters.ts';
import { isSame } from './secrets.ts';

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
