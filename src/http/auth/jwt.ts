/** Tokens of other issuers: checked for signature, algorithm, issuer, audience and time. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { AppError } from '../../shared/errors.ts';
import { FULL_SCOPES, type Scope, scopesIn } from '../../shared/principal.ts';
import type { Authenticate } from './authenticate.ts';

interface JwtClaims {
  readonly issuer?: string;
  readonly audience?: string;
  /** The claim that identifies the caller. Default: `sub`, with `jwt:` before it in the principal's id. */
  readonly principalClaim?: string;
}

interface JwtOptions extends JwtClaims {
  readonly secret?: string;
  readonly publicKey?: string;
}

export function signedTokens(options: JwtOptions): Authenticate {
  const { key, algorithms } = keyOf(options);
  return tokensChecked(async () => key, algorithms, options);
}

/** Algorithms of public keys only: a shared secret in a key set is not accepted. */
const SET_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'EdDSA', 'Ed25519'];

/** Tokens signed with a key of a remote set. */
export function tokensOfKeySet(keys: JWTVerifyGetKey, claims: JwtClaims): Authenticate {
  return tokensChecked(keys, SET_ALGORITHMS, claims);
}

function tokensChecked(
  keys: JWTVerifyGetKey,
  algorithms: string[],
  { issuer, audience, principalClaim }: JwtClaims,
): Authenticate {
  const requiredClaims = [principalClaim ?? 'sub', 'exp'];
  const expected = { algorithms, requiredClaims, clockTolerance: 30, issuer, audience };
  return async (token, presented) => {
    if (token === undefined || presented?.scheme === 'dpop') return undefined;
    const verified = await jwtVerify(token, keys, expected).catch(() => undefined);
    const name = verified?.payload[principalClaim ?? 'sub'];
    if (!verified || typeof name !== 'string' || name.trim() === '') return undefined;
    const { exp, client_id: clientId } = verified.payload;
    return {
      id: `${principalClaim === undefined ? 'jwt:' : ''}${name.slice(0, 200)}`,
      kind: 'jwt',
      scopes: scopesOf(verified.payload),
      expiresAt: exp,
      clientId: typeof clientId === 'string' ? clientId : undefined,
    };
  };
}

/** One kind of key, one family of algorithms: a public key can never pass for a shared secret. */
function keyOf({ secret, publicKey }: JwtOptions): { key: KeyObject | Uint8Array; algorithms: string[] } {
  if (secret !== undefined && publicKey !== undefined)
    throw new AppError('invalid_input', 'A shared secret and a public key are both given', {
      hint: 'Give one of them: --jwt-secret (auth.jwtSecret in the file) or --jwt-public-key (auth.jwtPublicKey).',
    });
  if (secret !== undefined) return { key: Buffer.from(secret), algorithms: ['HS256', 'HS384', 'HS512'] };
  if (publicKey === undefined)
    throw new AppError('invalid_input', '--auth jwt needs a key', {
      hint: 'Give --jwt-secret (QUIRE_JWT_SECRET, or auth.jwtSecret in the file) or --jwt-public-key (QUIRE_JWT_PUBLIC_KEY, auth.jwtPublicKey).',
    });
  const key = readKey(publicKey);
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return { key, algorithms: ['RS256', 'RS384', 'RS512', 'PS256'] };
    case 'ec':
      return { key, algorithms: ['ES256', 'ES384'] };
    case 'ed25519':
      return { key, algorithms: ['EdDSA', 'Ed25519'] };
    default:
      throw new AppError('invalid_input', 'auth.jwtPublicKey is of a kind that is not used for tokens', {
        hint: 'Use RSA, EC (P-256, P-384) or Ed25519.',
      });
  }
}

function readKey(pem: string): KeyObject {
  try {
    return createPublicKey(pem.replaceAll('\\n', '\n'));
  } catch {
    throw new AppError('invalid_input', 'auth.jwtPublicKey is not a public key in PEM form', {
      hint: 'It begins with -----BEGIN PUBLIC KEY-----.',
    });
  }
}

/**
 * The scopes of a token. Issuers name them in `scope` (RFC 8693, section 4.2) or `scp`, as text or as a list; unknown
 * ones grant nothing. A token with neither claim has all scopes, as its issuer knows none.
 */
function scopesOf({ scope, scp }: JWTPayload): readonly Scope[] {
  const claims = [scope, scp].filter((claim) => claim !== undefined).map(wordsOf);
  if (claims.length === 0) return FULL_SCOPES;
  return scopesIn([...(claims[0] ?? [])]).filter((known) => claims.every((words) => words.has(known)));
}

function wordsOf(claim: unknown): ReadonlySet<unknown> {
  if (typeof claim === 'string') return new Set(claim.trim().split(/\s+/));
  return new Set(Array.isArray(claim) ? claim : []);
}
