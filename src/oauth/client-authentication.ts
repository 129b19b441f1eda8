/** Client authentication at the token and revocation endpoints (RFC 6749 §2.3). */
import { OAuthError } from './answers.ts';
import { ASSERTION_TYPE, type CheckAssertion, claimedClientId } from './client-assertion.ts';
import type { AuthMethod, Client } from './client-metadata.ts';
import type { Clients } from './clients.ts';
import type { OAuthContext } from './context.ts';
import type { Parameters } from './parameters.ts';
import { hashOf, isSame } from './tickets.ts';

export type AuthenticateClient = (request: Request, form: Parameters, address: string) => Promise<Client>;

interface PresentedCredentials {
  readonly id: string;
  readonly method: AuthMethod;
  readonly proof: string;
}

export function createClientAuthentication(
  { security }: OAuthContext,
  clients: Clients,
  checkAssertion: CheckAssertion,
): AuthenticateClient {
  return async (request, form, address) => {
    const presented = presentedIn(request, form);
    try {
      const client = await clients.get(presented.id, address);
      assertMethod(client, presented);
      if (presented.method === 'private_key_jwt') await checkAssertion(client, presented.proof, address);
      return client;
    } catch (error) {
      if (!(error instanceof OAuthError) || error.code !== 'invalid_client') throw error;
      security('client authentication failed', { clientId: presented.id, method: presented.method, address });
      if (presented.method !== 'client_secret_basic') throw error;
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
  const isSecret = method === 'client_secret_post' || method === 'client_secret_basic';
  if (isSecret && !isSame(hashOf(proof), client.secretHash ?? ''))
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
