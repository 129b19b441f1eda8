/**
 * An OAuth 2.1 authorization server with one fixed profile: authorization code with PKCE for people, client
 * credentials for clients of the operator, one resource. This file composes the parts; each check has a file of its
 * own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Route } from '../shared/exchange.ts';
import type { Principal } from '../shared/principal.ts';
import { type AccessTokens, createCodes, createOpaqueTokens } from './access-tokens.ts';
import { createAccount } from './account.ts';
import { json } from './answers.ts';
import { createAuthorize } from './authorize.ts';
import { createAuthorizePages } from './authorize-pages.ts';
import { createAssertionCheck } from './client-assertion.ts';
import { createClientAuthentication } from './client-authentication.ts';
import { createClients } from './clients.ts';
import { createConsents, createCookies, createSessions } from './consents.ts';
import { createDocuments } from './documents.ts';
import { metadataRoutes, protectedResourceMetadata, routesOf } from './endpoints.ts';
import { createGrants, createRevocations, createSubjects } from './grants.ts';
import { createJwtTokens } from './jwt-tokens.ts';
import { createLogin } from './login.ts';
import { type AuthorizationServerOptions, assertOptions } from './options.ts';
import { createRefreshTokens, type RefreshTokens } from './refresh-tokens.ts';
import { createRegistration } from './registration.ts';
import { createResource, type Resource } from './scopes.ts';
import { createSecurityLog, type SecurityLog } from './security-log.ts';
import { ownSigningKeys, type SigningKeys, sharedSigningKey } from './signing-keys.ts';
import { createTickets } from './tickets.ts';
import { createRevocationEndpoint, createTokenEndpoint } from './token-endpoint.ts';

export type { PreconfiguredClient } from './client-metadata.ts';
export type { AuthorizationServerOptions, TokenOptions } from './options.ts';

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
  const { issuer, state, users, log, clients: configured = [] } = options;
  const now = options.now ?? Date.now;
  const security = createSecurityLog(log);
  const resource = createResource(issuer, options.resource, options.endpoints);
  const documents = options.fetchDocument && createDocuments(options.fetchDocument, now);
  const clients = createClients({ configured, state, now, documents });
  const subjects = createSubjects(options);
  const keptSeconds = Math.max(options.tokens.accessSeconds, options.tokens.refreshSeconds) + DAY_SECONDS;
  const revocations = createRevocations(state, keptSeconds);
  const codes = createCodes(state, keptSeconds);
  const keys = signingKeysOf(options, now, security);
  const accessTokens = accessTokensOf(options, now, resource, keys);
  const refreshTokens = refreshTokensOf(options);
  const checkAssertion = createAssertionCheck({
    audience: [issuer, `${issuer}/oauth/token`, `${issuer}/token`],
    state,
    security,
    now,
    documents,
  });
  const tokenParts = {
    authenticateClient: createClientAuthentication({ clients, security, checkAssertion }),
    accessTokens,
    revocations,
    security,
    refreshTokens,
  };
  const grants = createGrants({
    state,
    subjects,
    revocations,
    now,
    onProblem: (error) =>
      log('error', 'the time of last use of a grant could not be stored', { error: String(error) }),
  });
  const peopleParts = {
    issuer,
    login: createLogin({ ...options, security, now, delay: options.delay ?? ((ms) => sleep(ms)) }),
    tickets: createTickets(state, now),
    cookies: createCookies(issuer.startsWith('https:')),
    sessions: createSessions(state, subjects, now),
    consents: createConsents(state),
    security,
    log,
  };
  const authorize = createAuthorize({
    ...peopleParts,
    pages: createAuthorizePages({
      issuer,
      action: `${issuer}/oauth/authorize`,
      hasUsers: users !== undefined,
    }),
    clients,
    resource,
    codes,
    subjects,
  });
  const register = createRegistration({ clients, security, now, canFetch: documents !== undefined });
  const endpoints = {
    account: createAccount({ ...peopleParts, grants, hasUsers: users !== undefined }),
    authorize,
    token: createTokenEndpoint({ ...tokenParts, resource, codes, subjects, grants }),
    revoke: createRevocationEndpoint(tokenParts),
    jwks: async () => json(await keys.published()),
    register: options.registration.enabled ? register : undefined,
  };
  const facts = {
    issuer,
    hasRegistration: options.registration.enabled,
    hasRefresh: refreshTokens !== undefined,
    hasDocuments: documents !== undefined,
    hasKeys: options.tokens.kind === 'jwt' && keys.algorithm === 'EdDSA',
  };

  return {
    routes: [
      ...metadataRoutes(facts, { id: options.resource, endpoints: options.endpoints }, log),
      ...routesOf(endpoints, log),
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
