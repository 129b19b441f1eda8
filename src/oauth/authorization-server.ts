/**
 * An OAuth 2.1 authorization server with one fixed profile: authorization code with PKCE for people, client
 * credentials for clients of the operator, one resource. This file composes the parts; each check has a file of its
 * own.
 */
import { AppError } from '../shared/errors.ts';
import type { Route } from '../shared/exchange.ts';
import { ACCEPTED, BEARER, type Presentation } from '../shared/presentation.ts';
import type { Principal } from '../shared/principal.ts';
import { createCodes, createJwtTokens, createOpaqueTokens } from './access-tokens.ts';
import { createAccount } from './account.ts';
import { json } from './answers.ts';
import { createAuthorize } from './authorize.ts';
import { createClientAuthentication } from './client-authentication.ts';
import { type Clients, createClients } from './clients.ts';
import { type Consents, createConsents, createCookies, createSessions } from './consents.ts';
import { createSecurityLog, type OAuthContext } from './context.ts';
import { capScopes } from './cut-scopes.ts';
import { createDocuments, type FetchDocument } from './documents.ts';
import { createDpop } from './dpop.ts';
import { type Endpoints, metadataRoutes, protectedResourceMetadata, routesOf } from './endpoints.ts';
import { createFactors } from './factors/factors.ts';
import type { FormOptions } from './forms.ts';
import {
  createGrants,
  createRevocations,
  createSubjects,
  type Grants,
  type Subjects,
  type SubjectsOptions,
} from './grants.ts';
import { createIntrospectionEndpoint } from './introspection.ts';
import { createLogin, type LoginOptions } from './login.ts';
import { createOidcLogin, type OidcOptions } from './oidc/login.ts';
import { redirectUriProblem } from './redirect-uri.ts';
import { createRefreshTokens } from './refresh-tokens.ts';
import { createRegistration } from './registration.ts';
import { holdersOf, type IsMeant } from './revoked-holders.ts';
import { createResource } from './scopes.ts';
import { createSecurityPage } from './security.ts';
import { NOTES_ACCESS, type ServedAccess } from './served-access.ts';
import { ownSigningKeys, sharedSigningKey } from './signing-keys.ts';
import { createTickets } from './tickets.ts';
import { createRevocationEndpoint, createTokenEndpoint } from './token-endpoint.ts';
import { createDirectory, type Directory, type DirectoryOptions } from './users.ts';

export interface AuthorizationServerOptions
  extends Pick<OAuthContext, 'state' | 'log'>,
    LoginOptions,
    SubjectsOptions,
    DirectoryOptions {
  /** Public base URL, without a trailing slash; compared literally everywhere. */
  readonly issuer: string;
  /** The resource that tokens are for. `issuer` and its `endpoints` are accepted as equivalent. */
  readonly resource: string;
  /** Paths of the MCP endpoints, which clients may name as the resource. Default: `/mcp`. */
  readonly endpoints?: readonly string[];
  readonly tokens: TokenOptions;
  readonly registration: { readonly enabled: boolean };
  /** What the tools that are served can do, for the words of the pages. Default: read, change and delete notes. */
  readonly served?: ServedAccess;
  /** A fetch that is safe for any https address. Without it, clients cannot be described by documents. */
  readonly fetchDocument?: FetchDocument;
  /** An identity provider that people may sign in with, beside users. */
  readonly oidc?: OidcOptions;
  readonly now?: OAuthContext['now'];
}

interface TokenOptions {
  readonly kind: 'opaque' | 'jwt';
  readonly accessSeconds: number;
  /** 0 issues no refresh tokens. */
  readonly refreshSeconds: number;
}

/** Login, grants and consents. */
export interface PageParts extends FormOptions {
  readonly subjects: Subjects;
  readonly directory: Directory;
  readonly grants: Grants;
  readonly consents: Consents;
  readonly clients: Clients;
  readonly served: ServedAccess;
}

export interface AuthorizationServer {
  readonly routes: readonly Route[];
  /**
   * The principal of a token; undefined when the token is foreign, expired, revoked, or for another resource. Throws
   * `unauthorized` when a good token may not be presented like this. Default: as a bearer token.
   */
  verify(token: string, presented?: Presentation): Promise<Principal | undefined>;
  /** Called with the holders of tokens that may have been revoked, which are to be verified again. */
  onRevoked(revoked: (isMeant: IsMeant) => void): () => void;
  /** For pages of other rooms that people sign in to. */
  readonly pages: PageParts;
  /** Protected resource metadata (RFC 9728). */
  protectedResource(): object;
  close(): Promise<void>;
}

const DAY_SECONDS = 24 * 60 * 60;
const MAX_TOKEN_LENGTH = 4_096;

export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  assertOptions(options);
  const { issuer, state, log, now = Date.now, endpoints = ['/mcp'] } = options;
  const parts = createParts(
    { issuer, state, log, now, security: createSecurityLog(log) },
    { ...options, endpoints },
  );
  const { accessTokens, resource, subjects, revocations, clients, grants, documents, dpop } = parts;
  const verify: AuthorizationServer['verify'] = async (token, presented = BEARER) => {
    const found = token.length > MAX_TOKEN_LENGTH ? undefined : await accessTokens.read(token);
    if (!found || !resource.isSame(found.resource)) return undefined;
    const { id, subject, clientId, mark, expiresAt, jkt } = found;
    const most = await subjects.accessOf(subject, mark, 'recent');
    if (most === undefined || (await revocations.isRevoked(id, 'recent'))) return undefined;
    if (!(await clients.isKnown(clientId, 'recent'))) return undefined;
    const granted = subject.kind === 'user' ? await grants.scopesOf(found, 'recent') : found.scopes;
    const scopes = capScopes(granted, most);
    await dpop.assertPresented(token, jkt, presented);
    if (subject.kind === 'user') grants.used(id);
    return {
      id: `${subject.kind}:${subject.name}`,
      kind: subject.kind,
      scopes,
      clientId,
      grant: id,
      expiresAt,
    };
  };
  const pages = pagePartsOver(parts, options);
  const facts = {
    issuer,
    hasRegistration: options.registration.enabled,
    hasRefresh: parts.refreshTokens !== undefined,
    hasDocuments: documents !== undefined,
    hasKeys: options.tokens.kind === 'jwt' && parts.keys.algorithm === 'EdDSA',
  };
  return {
    routes: [
      ...metadataRoutes(facts, { id: options.resource, endpoints }, log),
      ...routesOf(endpointsOver({ ...parts, verify }, pages, options), log),
    ],
    pages,
    verify,
    onRevoked: (revoked) => state.watch((key) => revoked(holdersOf(key))),
    protectedResource: () => protectedResourceMetadata(issuer, options.resource),
    close: async () => documents?.clear(),
  };
}

/** Clients, grants, tokens and keys, which several endpoints share. */
function createParts(
  context: OAuthContext,
  options: AuthorizationServerOptions & { readonly endpoints: readonly string[] },
) {
  const { signingKey, fetchDocument, clients = [], tokens } = options;
  const { kind, accessSeconds, refreshSeconds } = tokens;
  const resource = createResource(context.issuer, options.resource, {
    endpoints: options.endpoints,
    notebooks: options.served?.notebooks,
  });
  const documents = fetchDocument && createDocuments(fetchDocument, context);
  const directory = createDirectory(context, { ...options, provider: options.oidc?.issuer });
  const subjects = createSubjects(directory, options);
  const keptSeconds = Math.max(accessSeconds, refreshSeconds) + DAY_SECONDS;
  const revocations = createRevocations(context, keptSeconds);
  const keys =
    signingKey === undefined ? ownSigningKeys(context, accessSeconds) : sharedSigningKey(signingKey);
  return {
    ...context,
    resource,
    documents,
    directory,
    subjects,
    revocations,
    keys,
    dpop: createDpop(context),
    clients: createClients(context, clients, documents),
    codes: createCodes(context, keptSeconds),
    accessTokens:
      kind === 'opaque'
        ? createOpaqueTokens(context, accessSeconds)
        : createJwtTokens(context, accessSeconds, { keys, resource }),
    refreshTokens: refreshSeconds > 0 ? createRefreshTokens(context, refreshSeconds) : undefined,
    grants: createGrants(context, subjects, revocations),
  };
}

function pagePartsOver(
  parts: ReturnType<typeof createParts>,
  options: AuthorizationServerOptions,
): PageParts {
  const visits = {
    ...parts,
    tickets: createTickets(parts),
    cookies: createCookies(parts.issuer.startsWith('https:')),
    sessions: createSessions(parts, parts.subjects),
  };
  return {
    ...visits,
    hasUsers: options.users !== undefined,
    login: createLogin(parts, parts.directory, options),
    factors: createFactors(parts, options),
    provider: options.oidc && createOidcLogin(visits, options.oidc),
    consents: createConsents(parts),
    served: options.served ?? NOTES_ACCESS,
  };
}

function endpointsOver(
  parts: ReturnType<typeof createParts> & Pick<AuthorizationServer, 'verify'>,
  pages: PageParts,
  options: AuthorizationServerOptions,
): Endpoints {
  const { documents, clients, keys } = parts;
  const tokenParts = {
    ...parts,
    authenticateClient: createClientAuthentication(parts, clients, documents),
  };
  return {
    account: createAccount(pages),
    security: options.users === undefined ? undefined : createSecurityPage(pages),
    authorize: createAuthorize({ ...parts, ...pages }),
    token: createTokenEndpoint(tokenParts),
    revoke: createRevocationEndpoint(tokenParts),
    introspect: createIntrospectionEndpoint({
      ...tokenParts,
      verify: (token) => parts.verify(token, ACCEPTED),
    }),
    jwks: async () => json(options.tokens.kind === 'jwt' ? await keys.published() : { keys: [] }),
    pages: pages.provider?.routes,
    register: options.registration.enabled
      ? createRegistration(parts, clients, documents !== undefined)
      : undefined,
  };
}

function assertOptions(options: AuthorizationServerOptions): void {
  assertIssuer(options.issuer);
  const { users, ownerToken, clients = [], tokens } = options;
  if ((users === undefined) === (ownerToken === undefined))
    throw new AppError('invalid_input', 'OAuth needs either users or an owner token', {
      hint: 'Give one of the two.',
    });
  if (ownerToken === '') throw new AppError('invalid_input', 'The owner token is empty');
  if (!(tokens.accessSeconds > 0) || !(tokens.refreshSeconds >= 0))
    throw new AppError('invalid_input', 'Tokens need a life of at least a second');
  for (const [at, client] of clients.entries()) {
    if (client.id === '' || client.secret === '')
      throw new AppError('invalid_input', 'An OAuth client has no id or no secret', {
        subject: `client ${at + 1} of ${clients.length}`,
      });
    if (clients.findIndex(({ id }) => id === client.id) !== at)
      throw new AppError('invalid_input', 'An OAuth client is configured twice', { subject: client.id });
    for (const uri of client.redirectUris ?? []) {
      const problem = redirectUriProblem(uri);
      if (problem !== undefined)
        throw new AppError('invalid_input', `A redirect URI of an OAuth client ${problem}`, { subject: uri });
    }
  }
}

function assertIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isPlain = url && url.search === '' && url.hash === '' && url.username === '' && !issuer.endsWith('/');
  if (!url || !isPlain || !/^https?:$/.test(url.protocol))
    throw new AppError('invalid_input', 'The public address of the server cannot be used', {
      subject: issuer,
      hint: 'Write it like https://notes.example.com, without a slash at the end.',
    });
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol === 'http:' && !isLocal)
    throw new AppError('invalid_input', 'OAuth needs https', {
      subject: issuer,
      hint: 'Put a reverse proxy with a certificate in front, and give its address. Plain http is for localhost alone.',
    });
}
