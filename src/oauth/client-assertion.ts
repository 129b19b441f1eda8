/** Client authentication with a signed JWT (RFC 7523, `private_key_jwt` of OpenID Connect). */
import { createLocalJWKSet, decodeJwt, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { KeyedMutex } from '../shared/async/keyed-mutex.ts';
import { OAuthError } from './answers.ts';
import { assertPublicKeys, type Client, type JsonWebKeys } from './client-metadata.ts';
import type { OAuthContext } from './context.ts';
import type { Documents } from './documents.ts';
import { hashOf } from './tickets.ts';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
export const ASSERTION_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];

const MAX_LENGTH = 8_192;
const MAX_LIFE_SECONDS = 5 * 60;
const CLOCK_TOLERANCE_SECONDS = 30;
const KEYS_KEPT_MS = 10 * 60_000;
/** An unknown key id triggers a refetch of the client's keys, at most this often. */
const KEYS_RENEWED_MS = 60_000;

/** The client id claimed by an assertion, before any check. */
export function claimedClientId(assertion: string): string | undefined {
  try {
    return assertion.length > MAX_LENGTH ? undefined : decodeJwt(assertion).sub;
  } catch {
    return undefined;
  }
}

/**
 * Throws `invalid_client` unless the assertion is signed by the client, addressed to us, recent, and not used
 * before.
 */
export type CheckAssertion = (client: Client, assertion: string, address: string) => Promise<void>;

export function createAssertionCheck(
  { issuer, state, security, now }: OAuthContext,
  documents: Documents | undefined,
): CheckAssertion {
  const oneByOne = new KeyedMutex();

  const verify = async (client: Client, assertion: string, address: string): Promise<JWTPayload> => {
    if (!client.keys || assertion.length > MAX_LENGTH) throw refused('this client has no keys');
    const expected = {
      algorithms: ASSERTION_ALGORITHMS,
      issuer: client.id,
      subject: client.id,
      audience: [issuer, `${issuer}/oauth/token`, `${issuer}/token`],
      requiredClaims: ['exp', 'jti'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now()),
    };
    const checkWith = async (maxAgeMs: number) => {
      const keys = await keySet(client, { maxAgeMs, address }, documents);
      return (await jwtVerify(assertion, createLocalJWKSet(keys), expected)).payload;
    };
    try {
      return await checkWith(KEYS_KEPT_MS);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return checkWith(KEYS_RENEWED_MS);
    }
  };

  return async (client, assertion, address) => {
    const { exp = 0, jti = '' } = await verify(client, assertion, address).catch((error: unknown) => {
      throw error instanceof errors.JOSEError ? refused(`the assertion is not valid (${error.code})`) : error;
    });
    const seconds = exp - Math.floor(now() / 1000);
    if (seconds > MAX_LIFE_SECONDS + CLOCK_TOLERANCE_SECONDS)
      throw refused('the assertion is valid for too long');
    const key = `assertion:${hashOf(JSON.stringify([client.id, jti]))}`;
    await oneByOne.run(key, async () => {
      if ((await state.get(key)) !== undefined) {
        security('client assertion replayed', { clientId: client.id });
        throw refused('the assertion was used before');
      }
      await state.put(key, true, seconds + CLOCK_TOLERANCE_SECONDS);
    });
  };
}

async function keySet(
  { keys, isTrusted }: Client,
  { maxAgeMs, address }: { readonly maxAgeMs: number; readonly address: string },
  documents: Documents | undefined,
): Promise<JSONWebKeySet> {
  if (!keys) throw refused('this client has no keys');
  if ('jwks' in keys) return keys.jwks as JSONWebKeySet;
  if (!documents) throw refused('its keys cannot be fetched from here');
  const assertUsable = (document: unknown) => void assertPublicKeys(document as JsonWebKeys);
  const asked = { maxAgeMs, address: isTrusted ? undefined : address, assertUsable };
  const document = await documents.get(keys.jwksUri, asked).catch((error: unknown) => {
    if (!isTrusted || !(error instanceof OAuthError)) throw error;
    // A failure to fetch the keys says nothing against the client.
    throw new OAuthError(
      'temporarily_unavailable',
      `The keys of the app at ${new URL(keys.jwksUri).host} cannot be had right now. Try again in a minute.`,
    );
  });
  return document as JSONWebKeySet;
}

function refused(why: string): OAuthError {
  return new OAuthError('invalid_client', `The client could not be authenticated: ${why}`);
}
