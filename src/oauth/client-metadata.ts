/** Validates client metadata, from registration (RFC 7591 §2) or a client id metadata document, field by field. */
import * as z from 'zod';
import { isRecord } from '../shared/records.ts';
import { OAuthError } from './answers.ts';
import { destinationOf, redirectUriProblem } from './redirect-uri.ts';

export type GrantType = 'authorization_code' | 'refresh_token' | 'client_credentials';

export const AUTH_METHODS = ['none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt'] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

export interface ClientMetadata {
  /** Printable, but chosen by the client. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly GrantType[];
  /** Any one of these is accepted. */
  readonly authMethods: readonly AuthMethod[];
  readonly keys?: ClientKeys;
  /** Whether all its tokens are bound to a key (`dpop_bound_access_tokens`, RFC 9449 §5.2). */
  readonly bindsTokens?: true;
}

export interface Client extends Omit<ClientMetadata, 'redirectUris'> {
  readonly id: string;
  /** Origin of the client: set up by the operator, registered dynamically, or described by a document at its id. */
  readonly kind: 'configured' | 'registered' | 'document';
  readonly secretHash?: string;
  /** Whether the operator or a person has approved the client before. */
  readonly isTrusted: boolean;
  acceptsRedirect(uri: string): boolean;
}

/** Public keys for `private_key_jwt`. */
type ClientKeys = { readonly jwks: JsonWebKeys } | { readonly jwksUri: string };

export interface JsonWebKeys {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** A client set up by the operator. */
export interface PreconfiguredClient {
  readonly id: string;
  readonly secret: string;
  /** Shown to people. Default: the id. */
  readonly name?: string;
  /** Default: Claude's callback addresses, and loopback addresses. */
  readonly redirectUris?: readonly string[];
  /** Allows tokens for the secret alone (client credentials), without a person's consent. Default: false. */
  readonly clientCredentials?: boolean;
}

const MAX_LENGTH = 80;

/** A client-chosen name made displayable: one line, no invisible characters, bounded length. */
export function displayName(text: string | undefined, otherwise: string): string {
  const clean = (text ?? '').replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const letters = [...clean];
  if (letters.length === 0) return otherwise;
  return letters.length > MAX_LENGTH ? `${letters.slice(0, MAX_LENGTH - 1).join('')}…` : clean;
}

const MAX_REDIRECT_URIS = 10;
/** Without `client_credentials`: registration is open, so any client could authorize itself. */
const GRANT_TYPES: readonly GrantType[] = ['authorization_code', 'refresh_token'];

const line = z.string().max(500);
const names = z.array(z.string().max(200)).max(20);
const webAddress = z.string().max(2_048).refine(isWebAddress, 'is not a web address');

const schema = z.object({
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECT_URIS),
  client_name: line.optional(),
  client_uri: webAddress.optional(),
  logo_uri: z.string().max(8_192).optional(),
  tos_uri: webAddress.optional(),
  policy_uri: webAddress.optional(),
  contacts: names.optional(),
  scope: z.string().max(2_000).optional(),
  grant_types: names.optional(),
  response_types: names.optional(),
  application_type: z.enum(['web', 'native']).optional(),
  token_endpoint_auth_method: z.string().max(100).optional(),
  token_endpoint_auth_methods_supported: names.optional(),
  jwks: z.object({ keys: z.array(z.record(z.string(), z.unknown())).min(1).max(10) }).optional(),
  jwks_uri: webAddress.optional(),
  dpop_bound_access_tokens: z.boolean().optional(),
  software_id: line.optional(),
  software_version: line.optional(),
});

type SubmittedMetadata = z.infer<typeof schema>;

export function readClientMetadata(body: unknown): ClientMetadata {
  const said = parse(body);
  for (const uri of said.redirect_uris) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined)
      throw new OAuthError('invalid_redirect_uri', `A redirect URI ${problem}: ${shown(uri)}`);
  }
  const authMethods = authMethodsOf(said);
  const keys = authMethods.includes('private_key_jwt') ? keysOf(said) : undefined;
  return {
    name: displayName(said.client_name, `An app at ${destinationOf(said.redirect_uris[0] ?? '').host}`),
    redirectUris: [...new Set(said.redirect_uris)],
    grantTypes: grantTypesOf(said),
    authMethods,
    keys,
    ...(said.dpop_bound_access_tokens && { bindsTokens: true as const }),
  };
}

function parse(body: unknown): SubmittedMetadata {
  if (!isRecord(body)) throw invalid('the client is not described by a JSON object');
  if ('software_statement' in body) throw invalid('software statements are not supported');
  // Some clients send null or an empty string for fields without a value.
  const given = Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== null && value !== ''),
  );
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.map(String).join('.') ?? '';
  if (field.startsWith('redirect_uris'))
    throw new OAuthError(
      'invalid_redirect_uri',
      `redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} addresses`,
    );
  throw invalid(`${field}: ${issue?.message ?? 'is not right'}`);
}

/** Unknown grant types are dropped, because some clients list every type there is. */
function grantTypesOf({
  grant_types: asked,
  response_types: responses,
}: SubmittedMetadata): readonly GrantType[] {
  if (responses && !responses.includes('code')) throw invalid('response_types must include code');
  if (!asked) return GRANT_TYPES;
  if (!asked.includes('authorization_code'))
    throw invalid(
      'grant_types must include authorization_code; other clients are set up by the operator of this server',
    );
  return GRANT_TYPES.filter((type) => asked.includes(type));
}

function authMethodsOf(said: SubmittedMetadata): readonly AuthMethod[] {
  const { token_endpoint_auth_method: preferred, token_endpoint_auth_methods_supported: others = [] } = said;
  const asked = [preferred ?? (others.length === 0 ? 'none' : undefined), ...others];
  const known = AUTH_METHODS.filter((method) => asked.includes(method));
  if (known.length > 0) return known;
  throw invalid(`token_endpoint_auth_method must be one of ${AUTH_METHODS.join(', ')}`);
}

function keysOf({ jwks, jwks_uri: jwksUri }: SubmittedMetadata): ClientKeys {
  if ((jwks === undefined) === (jwksUri === undefined))
    throw invalid('private_key_jwt needs either jwks or jwks_uri');
  if (jwks) return { jwks: assertPublicKeys(jwks) };
  if (jwksUri?.startsWith('https://') !== true) throw invalid('jwks_uri must begin with https://');
  return { jwksUri };
}

export function assertPublicKeys(jwks: JsonWebKeys): JsonWebKeys {
  const isSet =
    Array.isArray(jwks?.keys) && jwks.keys.every((key) => typeof key === 'object' && key !== null);
  if (!isSet) throw invalid('its jwks is not a list of keys');
  for (const key of jwks.keys) {
    if (key.kty === 'oct') throw invalid('jwks holds a shared secret; only public keys may be there');
    if (key.d !== undefined) throw invalid('jwks holds a private key; take it out and make a new one');
  }
  return jwks;
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function invalid(message: string): OAuthError {
  return new OAuthError('invalid_client_metadata', `The client cannot be accepted: ${message}`);
}

function shown(uri: string): string {
  return uri.replace(/[^\x20-\x7e]|["\\]/g, '?').slice(0, 200);
}
