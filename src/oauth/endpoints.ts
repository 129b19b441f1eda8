/** Routes of the authorization server: under `/oauth`, as its metadata says, and at the root for older clients. */
import type { Handler, Route } from '../shared/exchange.ts';
import type { Log } from '../shared/log.ts';
import { PROOF_ALGORITHMS } from '../shared/presentation.ts';
import { SCOPES } from '../shared/principal.ts';
import { json, openToAll, preflight } from './answers.ts';
import { ASSERTION_ALGORITHMS } from './client-authentication.ts';
import { AUTH_METHODS } from './client-metadata.ts';
import { OFFLINE_ACCESS } from './scopes.ts';

/** The optional parts of the authorization server's metadata (RFC 8414). */
interface MetadataFacts {
  readonly issuer: string;
  readonly hasRegistration: boolean;
  readonly hasRefresh: boolean;
  readonly hasDocuments: boolean;
  /** Whether a JWKS is published. */
  readonly hasKeys: boolean;
}

/** RFC 9728 §3: `resource` is the one whose address the document was found under. */
export function protectedResourceMetadata(issuer: string, resource: string): object {
  return { ...bearerResourceMetadata(issuer, resource), dpop_signing_alg_values_supported: PROOF_ALGORITHMS };
}

/** Of tokens that are not bound to a key. */
function bearerResourceMetadata(issuer: string, resource: string): object {
  return {
    resource,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    scopes_supported: SCOPES,
  };
}

function authorizationServerMetadata(facts: MetadataFacts): object {
  const { issuer } = facts;
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    ...(facts.hasRegistration && { registration_endpoint: `${issuer}/oauth/register` }),
    revocation_endpoint: `${issuer}/oauth/revoke`,
    ...(facts.hasKeys && { jwks_uri: `${issuer}/oauth/jwks` }),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      'authorization_code',
      'client_credentials',
      ...(facts.hasRefresh ? ['refresh_token'] : []),
    ],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: AUTH_METHODS.filter((method) => method !== 'none'),
    introspection_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
    scopes_supported: [...SCOPES, ...(facts.hasRefresh ? [OFFLINE_ACCESS] : [])],
    authorization_response_iss_parameter_supported: true,
    ...(facts.hasDocuments && { client_id_metadata_document_supported: true }),
  };
}

/**
 * For clients that only look here. The fields are required by OpenID Connect Discovery; no identity token is ever
 * issued.
 */
function openidConfiguration(facts: MetadataFacts): object {
  return {
    ...authorizationServerMetadata(facts),
    jwks_uri: `${facts.issuer}/oauth/jwks`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['EdDSA'],
  };
}

export interface Endpoints {
  readonly account: { readonly get: Handler; readonly post: Handler };
  /** Of people with a password of their own. */
  readonly security?: { readonly get: Handler; readonly post: Handler };
  readonly authorize: { readonly get: Handler; readonly post: Handler };
  readonly token: Handler;
  readonly revoke: Handler;
  readonly introspect: Handler;
  readonly jwks: Handler;
  /** Further pages, by their path. */
  readonly pages?: Readonly<Record<string, Handler>>;
  readonly register?: Handler;
}

const CACHED = { 'Cache-Control': 'public, max-age=300' };

export function routesOf(endpoints: Endpoints, log: Log): Route[] {
  const { account, security, authorize, token, revoke, introspect, jwks, register, pages = {} } = endpoints;
  // For browsers only, without CORS.
  const forPeople = (path: string, { get, post }: Endpoints['authorize']): Route[] => [
    { method: 'GET', path, handle: get },
    { method: 'POST', path, handle: post },
  ];
  const forClients = (method: 'GET' | 'POST', name: string, handle: Handler) =>
    everywhere(name).flatMap((path) => openRoutes(method, path, handle, log));
  return [
    ...everywhere('authorize').flatMap((path) => forPeople(path, authorize)),
    ...forPeople('/account', account),
    ...(security ? forPeople('/account/security', security) : []),
    ...Object.entries(pages).map(([path, handle]): Route => ({ method: 'GET', path, handle })),
    ...forClients('POST', 'token', token),
    ...forClients('POST', 'revoke', revoke),
    ...forClients('POST', 'introspect', introspect),
    ...forClients('GET', 'jwks', jwks),
    ...(register ? forClients('POST', 'register', register) : []),
  ];
}

/** `endpoints` are the paths of the MCP endpoints. */
export function metadataRoutes(
  facts: MetadataFacts,
  { id, endpoints }: { readonly id: string; readonly endpoints: readonly string[] },
  log: Log,
): Route[] {
  const { issuer } = facts;
  const documents = new Map<string, object>([
    ['/mcp/.well-known/openid-configuration', openidConfiguration(facts)],
  ]);
  for (const [suffix, about] of resourcesBySuffix(issuer, endpoints, id)) {
    documents.set(`${RESOURCE_METADATA}${suffix}`, protectedResourceMetadata(issuer, about));
    documents.set(`/.well-known/oauth-authorization-server${suffix}`, authorizationServerMetadata(facts));
    documents.set(`/.well-known/openid-configuration${suffix}`, openidConfiguration(facts));
  }
  return [...documents].flatMap(([path, document]) =>
    openRoutes('GET', path, async () => json(document, { headers: CACHED }), log),
  );
}

/** Resources by the paths that are appended to a well-known one (RFC 8414 §3, RFC 9728 §3); a proxy may take `base` off. */
function resourcesBySuffix(
  origin: string,
  endpoints: readonly string[],
  id = origin,
): ReadonlyMap<string, string> {
  const base = new URL(origin).pathname.replace(/\/$/, '');
  const found = new Map<string, string>();
  for (const path of ['', ...endpoints])
    for (const suffix of [path, `${base}${path}`]) found.set(suffix, path === '' ? id : `${origin}${path}`);
  return found;
}

/** Where standard clients learn of an authorization server that is not this one (RFC 9728). */
export function externalMetadataRoutes(
  issuer: string,
  { origin, endpoints }: { readonly origin: string; readonly endpoints: readonly string[] },
  log: Log,
): Route[] {
  return [...resourcesBySuffix(origin, endpoints)].flatMap(([suffix, about]) => {
    const document = bearerResourceMetadata(issuer, about);
    const handle: Handler = async () => json(document, { headers: CACHED });
    return openRoutes('GET', RESOURCE_METADATA + suffix, handle, log);
  });
}

export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';

function everywhere(name: string): readonly string[] {
  return [`/oauth/${name}`, `/${name}`];
}

function openRoutes(method: 'GET' | 'POST', path: string, handle: Handler, log: Log): Route[] {
  return [
    { method, path, handle: openToAll(handle, log) },
    { method: 'OPTIONS', path, handle: preflight },
  ];
}
