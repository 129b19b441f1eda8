/**
 * Validates an authorization request (RFC 6749 §4.1.1) by a list of checks whose order matters: until client and
 * redirect URI are verified, an error is shown to the person; afterwards it is redirected to the client.
 */
import type { Scope } from '../shared/principal.ts';
import { OAuthError, type ReturnAddress } from './answers.ts';
import type { Client } from './client-metadata.ts';
import type { Clients } from './clients.ts';
import { readThumbprint } from './dpop.ts';
import { MAX_QUERY_LENGTH, type Parameters, parseParameters } from './parameters.ts';
import { type Resource, readChallenge, readScopes } from './scopes.ts';

export interface AuthorizationRequest {
  readonly client: Client;
  readonly returnTo: ReturnAddress;
  readonly challenge: string;
  readonly scopes: readonly Scope[];
  readonly offline: boolean;
  /** The key that the tokens have to be bound to. */
  readonly jkt: string | undefined;
  /** The `prompt` values: what must be asked again even if remembered. */
  readonly prompt: ReadonlySet<string>;
  /** The raw query string. */
  readonly query: string;
}

export async function readAuthorizationRequest(
  query: string,
  address: string,
  { clients, resource }: { readonly clients: Clients; readonly resource: Resource },
): Promise<AuthorizationRequest> {
  if (query.length > MAX_QUERY_LENGTH) throw new OAuthError('invalid_request', 'The request is too long');
  const parameters = parseParameters(query);
  const client = await clients.get(parameters.require('client_id'), address);
  const redirectUri = parameters.require('redirect_uri');
  if (!client.acceptsRedirect(redirectUri))
    throw new OAuthError(
      'invalid_request',
      'redirect_uri is not one of the addresses this client may be sent back to',
    );
  const returnTo = { redirectUri, state: parameters.get('state'), isTrusted: client.isTrusted };
  try {
    return { client, returnTo, query, ...readRest(parameters, client, resource) };
  } catch (error) {
    throw error instanceof OAuthError ? error.returnedTo(returnTo) : error;
  }
}

function readRest(
  parameters: Parameters,
  client: Client,
  resource: Resource,
): Pick<AuthorizationRequest, 'challenge' | 'scopes' | 'offline' | 'prompt' | 'jkt'> {
  if (parameters.get('request') !== undefined)
    throw new OAuthError('request_not_supported', 'Request objects are not supported');
  if (parameters.get('request_uri') !== undefined)
    throw new OAuthError('request_uri_not_supported', 'Request objects are not supported');
  if (parameters.require('response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'response_type must be code');
  if ((parameters.get('response_mode') ?? 'query') !== 'query')
    throw new OAuthError('invalid_request', 'response_mode must be query');
  if (!client.grantTypes.includes('authorization_code'))
    throw new OAuthError('unauthorized_client', 'This client may not ask for codes');
  const challenge = readChallenge(parameters);
  const jkt = readThumbprint(parameters.get('dpop_jkt'));
  resource.assertAskedFor(parameters.resources);
  const prompt = new Set(parameters.get('prompt')?.split(' '));
  if (prompt.has('none'))
    throw new OAuthError('login_required', 'prompt=none is not supported: a person has to be asked');
  return { challenge, prompt, jkt, ...readScopes(parameters.get('scope'), resource) };
}
