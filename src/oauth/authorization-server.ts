/**
 * An OAuth 2.1 authorization server with one fixed profile: authorization code with PKCE for people, client
 * credentials for clients of the operator, one resource. This file composes the parts; each check has a file of its
 * own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../shared/errors.ts';
import type { Route } from '../shared/exchange.ts';
import type { Log } from '../shared/log.ts';
import type { Principal } from '../shared/principal.ts';
import type { StateStore } from '../state/memory.ts';
import { type AccessTokens, createCodes, createJwtTokens, createOpaqueTokens } from './access-tokens.ts';
import { createAccount } from './account.ts';
import { json } from './answers.ts';
import { createAuthorize } from './authorize.ts';
import { createAuthorizePages } from './authorize-pages.ts';
import { createAssertionCheck } from './client-assertion.ts';
import { createClientAuthentication } from './client-authentication.ts';
import type { PreconfiguredClient } from './client-metadata.ts';
import { createClients } from './clients.ts';
import { createConsents, createCookies, createSessions } from './consents.ts';
import { createDocuments, type FetchDocument } from './documents.ts';
import { metadataRoutes, protectedResourceMetadata, routesOf } from './endpoints.ts';
import { createGrants, createRevocations, createSubjects } from './grants.ts';
import { createLogin } from './login.ts';
import type { ComparePassword, Users } from './passwords.ts';
import { redirectUriProblem } from './redirect-uri.ts';
import { createRefreshTokens, type RefreshTokens } from './refresh-tokens.ts';
import { createRegistration } from './registration.ts';
import { createResource, type Resource } from './scopes.ts';
import { createSecurityLog, type SecurityLog } from './security-log.ts';
import { ownSigningKeys, type SigningKeys, sharedSigningKey } from './signing-keys.ts';
import { createTickets } from './tickets.ts';
import { createRevocationEndpoint, createTokenEndpoint } from './token-endpoint.ts';

export type { PreconfiguredClient } from './client-metadata.ts';

export interface AuthorizationServerOptions {
  /** Public base URL, without a trailing slash; compared literally everywhere. */
  readonly issuer: string;
  /** The resource that tokens are for. `issuer` and its `endpoints` are accepted as equivalent. */
  readonly resource: string;
  /** Paths of the MCP endpoints, which clients may name as the resource. Default: `/mcp`. */
  readonly endpoints?: readonly string[];
  readonly state: StateStore;
  /** Users who may log in; alternatively `ownerToken`. */
  readonly users?: Users;
  /** The login secret of a single owner without a user name. */
  readonly ownerToken?: string;
  readonly clients?: readonly PreconfiguredClient[];
  readonly tokens: TokenOptions;
  /** Signs JWTs. Without it, keys are generated, stored in the state and rotated. */
  readonly signingKey?: string;
  /** Whether grants from before signing keys were recorded count. */
  readonly acceptsUnkeyedMarks?: boolean;
  readonly registration: { readonly enabled: boolean };
  /** A fetch that is safe for any https address. Without it, clients cannot be described by documents. */
  readonly fetchDocument?: FetchDocument;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly delay?: (ms: number) => Promise<void>;
  /** Compares passwords off the main thread. Default: on it. */
  readonly comparePassword?: ComparePassword;
}

interface TokenOptions {
  readonly kind: 'opaque' | 'jwt';
  readonly accessSeconds: number;
  /** 0 issues no refresh tokens. */
  readonly refreshSeconds: number;
}

export interface AuthorizationServer {
  readonly routes: readonly Route[];
  /** The principal of a token; undefined when the token is foreign, expired, revoked, or for another resource. */
  verify(token: string): Promise<Principal | undefined>;
  /** Protected resource metadata (RFC 9728). */
  protectedResource(): object;
  close(): Promise<void>;
}

const DAY_SECONDS = 24 * 60 * 60;
const MAX_TOKEN_LENGTH = 4_096;

export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  assertOptions(options);
  const { issuer, log } = options;
  const parts = createParts(options);
  const { accessTokens, resource, subjects, revocations, clients, grants, documents } = parts;
  const facts = {
    issuer,
    hasRegistration: options.registration.enabled,
    hasRefresh: parts.refreshTokens !== undefined,
    hasDocuments: documents !== undefined,
    hasKeys: options.tokens.kind === 'jwt' && parts.keys.algorithm === 'EdDSA',
  };
  return {
    routes: [
      ...metadataRoutes(facts, { id: options.resource, endpoints: options.endpoints }, log),
      ...routesOf(endpointsOver(parts, options), log),
    ],
    async verify(token) {
      const found = token.length > MAX_TOKEN_LENGTH ? undefined : await accessTokens.read(token);
      if (!found || !resource.isSame(found.resource)) return undefined;
      const { id, subject, clientId, scopes, mark, expiresAt } = found;
      if (!subjects.hasMark(subject, mark) || (await revocations.isRevoked(id))) return undefined;
      if (!(await clients.isKnown(clientId))) return undefined;
      if (subject.kind === 'user') grants.used(id);
      return { id: `${subject.kind}:${subject.name}`, kind: subject.kind, scopes, clientId, expiresAt };
    },
    protectedResource: () => protectedResourceMetadata(issuer, options.resource),
    close: async () => documents?.clear(),
  };
}

/** Clients, grants, tokens and keys, which several endpoints share. */
function createParts(options: AuthorizationServerOptions) {
  const { issuer, state, log, clients: configured = [], now = Date.now } = options;
  const security = createSecurityLog(log);
  const resource = createResource(issuer, options.resource, options.endpoints);
  const documents = options.fetchDocument && createDocuments(options.fetchDocument, now);
  const subjects = createSubjects(options);
  const keptSeconds = Math.max(options.tokens.accessSeconds, options.tokens.refreshSeconds) + DAY_SECONDS;
  const revocations = createRevocations(state, keptSeconds);
  const keys = signingKeysOf(options, now, security);
  const onProblem = (error: unknown) =>
    log('error', 'the time of last use of a grant could not be stored', { error: String(error) });
  return {
    now,
    security,
    resource,
    documents,
    subjects,
    revocations,
    keys,
    clients: createClients({ configured, state, now, documents }),
    codes: createCodes(state, keptSeconds),
    accessTokens: accessTokensOf(options, now, resource, keys),
    refreshTokens: refreshTokensOf(options),
    grants: createGrants({ state, subjects, revocations, now, onProblem }),
  };
}

function endpointsOver(parts: ReturnType<typeof createParts>, options: AuthorizationServerOptions) {
  const { issuer, state, log, delay = sleep } = options;
  const { now, security, documents, subjects, clients } = parts;
  const hasUsers = options.users !== undefined;
  const audience = [issuer, `${issuer}/oauth/token`, `${issuer}/token`];
  const checkAssertion = createAssertionCheck({ audience, state, security, now, documents });
  const tokenParts = {
    ...parts,
    authenticateClient: createClientAuthentication({ clients, security, checkAssertion }),
  };
  const pageParts = {
    ...parts,
    issuer,
    login: createLogin({ ...options, security, now, delay: (ms) => delay(ms) }),
    tickets: createTickets(state, now),
    cookies: createCookies(issuer.startsWith('https:')),
    sessions: createSessions(state, subjects, now),
    consents: createConsents(state),
    log,
  };
  const pages = createAuthorizePages({ issuer, action: `${issuer}/oauth/authorize`, hasUsers });
  const register = createRegistration({ clients, security, now, canFetch: documents !== undefined });
  return {
    account: createAccount({ ...pageParts, hasUsers }),
    authorize: createAuthorize({ ...pageParts, pages }),
    token: createTokenEndpoint(tokenParts),
    revoke: createRevocationEndpoint(tokenParts),
    jwks: async () => json(await parts.keys.published()),
    register: options.registration.enabled ? register : undefined,
  };
}

function signingKeysOf(
  { state, signingKey, tokens }: AuthorizationServerOptions,
  now: () => number,
  security: SecurityLog,
): SigningKeys {
  if (signingKey !== undefined) return sharedSigningKey(signingKey);
  return ownSigningKeys({ state, now, security, tokenSeconds: tokens.accessSeconds });
}

function accessTokensOf(
  { state, issuer, tokens }: AuthorizationServerOptions,
  now: () => number,
  { isSame }: Resource,
  keys: SigningKeys,
): AccessTokens {
  const usual = { state, now, lifeSeconds: tokens.accessSeconds };
  return tokens.kind === 'opaque'
    ? createOpaqueTokens(usual)
    : createJwtTokens({ ...usual, issuer, isOurResource: isSame, keys });
}

function refreshTokensOf({ state, tokens }: AuthorizationServerOptions): RefreshTokens | undefined {
  const { refreshSeconds: lifeSeconds } = tokens;
  return lifeSeconds > 0 ? createRefreshTokens({ state, lifeSeconds }) : undefined;
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
      throw new AppError('invalid_input', 'An OAuth client is there twice', { subject: client.id });
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
