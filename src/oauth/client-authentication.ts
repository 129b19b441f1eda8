/**
 * Client authentication at the token and revocation endpoints (RFC 6749 §2.3): none, a secret, or a signed JWT (RFC
 * 7523, `private_key_jwt` of OpenID Connect).
 */
import { createLocalJWKSet, decodeJwt, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { claim } from '../state/change-value.ts';
import { OAuthError } from './answers.ts';
import { type AuthMethod, assertPublicKeys, type Client, type JsonWebKeys } from './client-metadata.ts';
import type { Clients } from './clients.ts';
import type { OAuthContext } from './context.ts';
import type { Documents } from './documents.ts';
import type { Parameters } from './parameters.ts';
import { hashOf, isSame } from './tickets.ts';

export type AuthenticateClient = (request: Request, form: Parameters, address: string) => Promise<Client>;

interface PresentedCredentials {
  readonly id: string;
  readonly method: AuthMethod;
  readonly proof: string;
}

export function createClientAuthentication(
  context: OAuthContext,
  clients: Clients,
  documents: Documents | undefined,
): AuthenticateClient {
  const checkAssertion = createAssertionCheck(context, documents);
  return async (request, form, address) => {
    const presented = presentedIn(request, form);
    const { id: clientId, method, proof } = presented;
    try {
      const client = await clients.get(clientId, address);
      assertMethod(client, presented);
      if (method === 'private_key_jwt') await checkAssertion(client, proof, address);
      return client;
    } catch (error) {
      if (!(error instanceof OAuthError) || error.code !== 'invalid_client') throw error;
      context.security('client authentication failed', { clientId, method, address });
      if (method !== 'client_secret_basic') throw error;
      // A failure with the Authorization header must be answered with WWW-Authenticate (RFC 6749 §5.2).
      const headers = { 'WWW-Authenticate': 'Basic realm="quire"' };
      throw new OAuthError('invalid_client', error.message, { headers });
    }
  };
}

/** Checks the method, and the proof unless it is an assertion. */
function assertMethod(client: Client, { method, proof }: PresentedCredentials): void {
  if (!client.authMethods.includes(method))
    throw new OAuthError(
      'invalid_client',
      `This client has to authenticate with ${client.authMethods.join(' or ')}`,
    );
  const hasSecret = method !== 'none' && method !== 'private_key_jwt';
  if (hasSecret && !isSame(hashOf(proof), client.secretHash ?? ''))
    throw new OAuthError('invalid_client', 'The client secret is wrong');
}

function presentedIn(request: Request, form: Parameters): PresentedCredentials {
  const header = request.headers.get('authorization');
  const id = form.get('client_id');
  const secret = form.get('client_secret');
  const assertion = form.get('client_assertion');
  if ([header ?? undefined, secret, assertion].filter((proof) => proof !== undefined).length > 1)
    throw new OAuthError('invalid_request', 'The client authenticates in more than one way');
  if (header !== null) return fromBasic(header, id);
  if (assertion !== undefined) return fromAssertion(assertion, form);
  if (id === undefined) throw new OAuthError('invalid_request', 'The parameter client_id is missing');
  return secret === undefined
    ? { id, method: 'none', proof: '' }
    : { id, method: 'client_secret_post', proof: secret };
}

function fromBasic(header: string, id: string | undefined): PresentedCredentials {
  const [, encoded] = /^Basic +([A-Za-z0-9+/_=-]+) *$/i.exec(header) ?? [];
  const [name, secret] = splitOnce(Buffer.from(encoded ?? '', 'base64').toString('utf8'));
  if (encoded === undefined || name === undefined || secret === undefined)
    throw new OAuthError(
      'invalid_request',
      'The Authorization header is not Basic with a client id and secret',
    );
  if (id !== undefined && id !== name)
    throw new OAuthError('invalid_request', 'The client ids in the header and in the body differ');
  return { id: name, method: 'client_secret_basic', proof: secret };
}

/** Both halves are form-encoded before they are joined (RFC 6749 §2.3.1). */
function splitOnce(text: string): [string?, string?] {
  const colon = text.indexOf(':');
  if (colon < 0) return [];
  try {
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '));
    return [decode(text.slice(0, colon)), decode(text.slice(colon + 1))];
  } catch {
    // Many clients send the credentials without encoding them.
    return [text.slice(0, colon), text.slice(colon + 1)];
  }
}

function fromAssertion(assertion: string, form: Parameters): PresentedCredentials {
  if (form.get('client_assertion_type') !== ASSERTION_TYPE)
    throw new OAuthError('invalid_request', `client_assertion_type must be ${ASSERTION_TYPE}`);
  const claimed = claimedClientId(assertion);
  const id = form.get('client_id') ?? claimed;
  if (id === undefined || claimed !== id)
    throw new OAuthError('invalid_client', 'The client assertion is not from this client');
  return { id, method: 'private_key_jwt', proof: assertion };
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
export const ASSERTION_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];

const MAX_LENGTH = 8_192;
const MAX_LIFE_SECONDS = 5 * 60;
const CLOCK_TOLERANCE_SECONDS = 30;
const KEYS_KEPT_MS = 10 * 60_000;
/** An unknown key id triggers a refetch of the client's keys, at most this often. */
const KEYS_RENEWED_MS = 60_000;

/** The client id claimed by an assertion, before any check. */
function claimedClientId(assertion: string): string | undefined {
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
type CheckAssertion = (client: Client, assertion: string, address: string) => Promise<void>;

function createAssertionCheck(
  { issuer, state, security, now }: OAuthContext,
  documents: Documents | undefined,
): CheckAssertion {
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
    if (await claim(state, key, seconds + CLOCK_TOLERANCE_SECONDS)) return;
    security('client assertion replayed', { clientId: client.id });
    throw refused('the assertion was used before');
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
      `The keys of the app at ${new URL(keys.jwksUri).host} cannot be fetched right now. Try again in a minute.`,
    );
  });
  return document as JSONWebKeySet;
}

function refused(why: string): OAuthError {
  return new OAuthError('invalid_client', `The client could not be authenticated: ${why}`);
}
