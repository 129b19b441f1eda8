/** Tokens of other issuers: checked for signature, algorithm, issuer, audience and time. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { createRemoteJWKSet, customFetch, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { AppError, isAppError } from '../../shared/errors.ts';
import { FULL_SCOPES, type Scope, scopesIn } from '../../shared/principal.ts';
import { safeFetch } from '../../shared/safe-fetch.ts';
import type { Authenticate } from './authenticate.ts';

interface JwtClaims {
  readonly issuer?: string;
  /** One of these. */
  readonly audience?: string | readonly string[];
  /** The claim that identifies the caller. Default: `sub`, with `jwt:` before it in the principal's id. */
  readonly principalClaim?: string;
}

interface JwtOptions extends JwtClaims {
  readonly secret?: string;
  readonly publicKey?: string;
  readonly keySetUrl?: string;
}

export function signedTokens(options: JwtOptions): Authenticate {
  const { secret, publicKey, keySetUrl } = options;
  if ([secret, publicKey, keySetUrl].filter((given) => given !== undefined).length > 1)
    throw new AppError('invalid_input', 'Several kinds of keys for signed tokens are given', {
      hint: 'Give one of --jwt-secret (auth.jwtSecret in the file), --jwt-public-key (auth.jwtPublicKey) and --jwt-jwks-url (auth.jwtJwksUrl).',
    });
  if (keySetUrl !== undefined) return tokensOfKeySet(keySetUrl, options);
  const { key, algorithms } = keyOf(options);
  return tokensChecked(async () => key, algorithms, options);
}

/** Algorithms of public keys only: a shared secret in a key set is not accepted. */
const SET_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'EdDSA', 'Ed25519'];

const KEY_SET_BYTES = 512 * 1024;
const KEY_SET_MS = 5_000;

/**
 * Tokens signed with a key of the set at an address, which the issuer may replace. It is fetched when it is needed, and
 * cached; the operator's address may be in a private network.
 */
export function tokensOfKeySet(url: string, claims: JwtClaims): Authenticate {
  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: 2 * KEY_SET_MS,
    [customFetch]: async (address) => {
      const answer = await safeFetch(address, {
        allow: 'private',
        maxBytes: KEY_SET_BYTES,
        timeoutMs: KEY_SET_MS,
        headers: { accept: 'application/json' },
      });
      if (answer.status !== 200) throw keysAway(new Error(`status ${answer.status}`));
      return answer;
    },
  });
  return tokensChecked(keys, SET_ALGORITHMS, claims);
}

function keysAway(cause: Error): AppError {
  return new AppError('upstream_failed', 'The keys that tokens are checked with cannot be fetched', {
    subject: cause.message,
    hint: 'Try again in a moment. The person who runs this server finds the reason in its log.',
    cause,
  });
}

function tokensChecked(
  keys: JWTVerifyGetKey,
  algorithms: string[],
  { issuer, audience, principalClaim }: JwtClaims,
): Authenticate {
  const requiredClaims = [principalClaim ?? 'sub', 'exp'];
  const expected = {
    algorithms,
    requiredClaims,
    clockTolerance: 30,
    issuer,
    audience: audience === undefined ? undefined : [audience].flat(),
  };
  return async (token, presented) => {
    if (token === undefined || presented?.scheme === 'dpop') return undefined;
    const verified = await jwtVerify(token, keys, expected).catch((error: unknown) => {
      // Whether the token is good is not known: a client that was told that it is bad would throw it away.
      if (isAppError(error)) throw keysAway(error);
      return undefined;
    });
    const name = verified?.payload[principalClaim ?? 'sub'];
    if (!verified || typeof name !== 'string' || name.trim() === '') return undefined;
    const { exp, client_id: clientId, cnf } = verified.payload;
    // Bound to a key (RFC 9449 §7.2): as a bearer token it may be stolen, and proofs are not checked here.
    if ((cnf as { readonly jkt?: unknown } | null | undefined)?.jkt !== undefined) return undefined;
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
  if (secret !== undefined) return { key: Buffer.from(secret), algorithms: ['HS256', 'HS384', 'HS512'] };
  if (publicKey === undefined)
    throw new AppError('invalid_input', '--auth jwt needs a key', {
      hint: 'Give --jwt-secret (QUIRE_JWT_SECRET, or auth.jwtSecret in the file), --jwt-public-key (QUIRE_JWT_PUBLIC_KEY, auth.jwtPublicKey) or --jwt-jwks-url (QUIRE_JWT_JWKS_URL, auth.jwtJwksUrl).',
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
