/** Composes authentication of an HTTP server: none, bearer, JWT, or the authorization server. */
import { type AuthConfig, looseClaims, type ServeConfig } from '../config/http-schema.ts';
import type { Config } from '../config/schema.ts';
import { type Authenticate, anyOf, bearerTokens, inServedNotebooks } from '../http/auth/authenticate.ts';
import { signedTokens } from '../http/auth/jwt.ts';
import type { OpenApp } from '../http/listen.ts';
import {
  type AuthorizationServer,
  createAuthorizationServer,
  type PageParts,
} from '../oauth/authorization-server.ts';
import { externalMetadataRoutes, RESOURCE_METADATA } from '../oauth/endpoints.ts';
import { adoptSigningKey } from '../oauth/grants.ts';
import { openPasswordWorker } from '../oauth/passwords.ts';
import { NOTES_ACCESS, type ServedAccess } from '../oauth/served-access.ts';
import { carryOut, type UserRequest } from '../oauth/users.ts';
import { AppError } from '../shared/errors.ts';
import type { Route } from '../shared/exchange.ts';
import { reachOf } from '../shared/ip-ranges.ts';
import type { Log } from '../shared/log.ts';
import { ANONYMOUS, type Role } from '../shared/principal.ts';
import { safeFetch } from '../shared/safe-fetch.ts';
import type { StateStore } from '../state/memory.ts';
import { answerRequests } from '../state/requests.ts';
import { assertOidc, oidcOptions } from './identity-provider.ts';
import { openState, type StatePlace, stateFolderIn } from './state-store.ts';

export interface OpenAuth {
  readonly authenticate: Authenticate;
  /** Absent where tokens cannot be revoked. */
  readonly onRevoked?: AuthorizationServer['onRevoked'];
  /** Routes of the authorization server. */
  readonly routes: readonly Route[];
  /** The login, for the console. */
  readonly pages?: PageParts;
  /** Address of the protected resource metadata (RFC 9728) for the endpoint at a path. */
  readonly resourceMetadataOf?: (path: string) => string;
  close(): Promise<void>;
}

export interface AuthServices extends StatePlace {
  readonly log: Log;
  /** For warnings to the operator. Default: the log. */
  readonly warn?: (text: string) => void;
  /** File of the password worker; without it, passwords are compared on the main thread. */
  readonly passwordThread?: string;
  /** The state is not looked at, so who is in it is not known. */
  readonly isRehearsal?: true;
}

interface ServerAddress {
  readonly origin: string;
  /** Paths of its MCP endpoints, the joint one first. */
  readonly endpoints: readonly string[];
  /** What their tools can do. */
  readonly served?: ServedAccess;
}

export async function openAuth(
  auth: AuthConfig,
  config: Pick<Config, 'state'>,
  at: ServerAddress,
  services: AuthServices,
): Promise<OpenAuth> {
  if (auth.mode !== 'oauth') {
    const authenticate = authenticatorOf(auth, at);
    // Warnings come after the checks, so that a failed start shows only its error.
    const { log, warn = (text) => log('warn', text) } = services;
    for (const warning of warningsOf(auth)) warn(warning);
    const issuer = auth.mode === 'jwt' ? auth.jwtIssuer : undefined;
    return { authenticate, ...externalIssuer(issuer, at, log), close: async () => {} };
  }
  const { server, close } = await openOAuth(auth, config, at, services);
  return {
    authenticate: authenticatorOf(auth, at, server),
    onRevoked: server.onRevoked,
    routes: server.routes.map((route): Route => ({ ...route, anyOrigin: true })),
    pages: server.pages,
    resourceMetadataOf: (path) =>
      `${at.origin}/.well-known/oauth-protected-resource${path === at.endpoints[0] ? '' : path}`,
    close,
  };
}

/** Tells standard clients where the tokens come from, if that is an address (RFC 9728). */
export function externalIssuer(
  issuer: string | undefined,
  at: Pick<ServerAddress, 'origin' | 'endpoints'>,
  log: Log,
): Pick<OpenAuth, 'routes' | 'resourceMetadataOf'> {
  const isAddress = issuer !== undefined && URL.canParse(issuer) && /^https?:/.test(issuer);
  if (!isAddress) return { routes: [] };
  return {
    routes: externalMetadataRoutes(issuer, at, log).map((route) => ({ ...route, anyOrigin: true })),
    resourceMetadataOf: (path) => `${at.origin}${RESOURCE_METADATA}${path}`,
  };
}

/** Composes an app over authentication, which is closed again when that fails. */
export async function appWith(auth: OpenAuth, compose: () => OpenApp): Promise<OpenApp> {
  try {
    return compose();
  } catch (error) {
    // The reason why the server does not start matters more than a failure to close.
    await auth.close().catch(() => {});
    throw error;
  }
}

/** Configurations that work but may not be what was meant. */
function warningsOf({ mode, jwtIssuer, jwtAudience }: AuthConfig): string[] {
  const problem = mode === 'jwt' ? looseClaims(jwtIssuer, jwtAudience) : undefined;
  if (problem === undefined) return [];
  return [`${problem} Give --jwt-issuer and --jwt-audience (auth.jwtIssuer and auth.jwtAudience).`];
}

function authenticatorOf(
  auth: AuthConfig,
  { served: { notebooks = [] } = NOTES_ACCESS }: Pick<ServerAddress, 'served'>,
  oauth?: AuthorizationServer,
): Authenticate {
  switch (auth.mode) {
    case 'none':
      return async () => ANONYMOUS;
    case 'bearer':
      return bearerTokens(auth.tokens);
    case 'jwt': {
      const { jwtSecret, jwtPublicKey, jwtJwksUrl, jwtIssuer, jwtAudience } = auth;
      const tokens = signedTokens({
        secret: jwtSecret,
        publicKey: jwtPublicKey,
        keySetUrl: jwtJwksUrl,
        issuer: jwtIssuer,
        audience: jwtAudience,
      });
      return inServedNotebooks(tokens, notebooks);
    }
    case 'oauth':
      return anyOf(bearerTokens(auth.tokens), async (token, presented) =>
        token === undefined ? undefined : oauth?.verify(token, presented),
      );
  }
}

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const REFRESH_DAYS = 90;
const METADATA_LIMIT_BYTES = 32 * 1024;
const METADATA_TIMEOUT_MS = 5_000;

async function openOAuth(
  auth: AuthConfig,
  config: Pick<Config, 'state'>,
  at: ServerAddress,
  services: AuthServices,
) {
  const folder = stateFolderIn(config, at, services);
  const state = await openState(folder, services);
  try {
    return await serverOver(state, auth, at, { ...services, folder });
  } catch (error) {
    await state.close();
    throw error;
  }
}

async function serverOver(
  state: StateStore,
  auth: AuthConfig,
  { origin, endpoints, served }: ServerAddress,
  { log, passwordThread, isRehearsal, folder }: AuthServices & { readonly folder: string | undefined },
) {
  const acceptsUnkeyedMarks = await adoptSigningKey(state, auth.signingKey);
  const passwords = passwordThread === undefined ? undefined : openPasswordWorker(passwordThread);
  const server = createAuthorizationServer({
    issuer: origin,
    resource: origin,
    endpoints,
    served,
    state,
    ...(auth.ownerToken === undefined
      ? {
          users: new Map(Object.entries(auth.users)),
          roles: rolesOf(auth),
          ...(auth.oidc && { oidc: oidcOptions(auth.oidc, origin), providerDays: auth.oidc.days }),
        }
      : { ownerToken: auth.ownerToken }),
    clients: knownClients(auth),
    tokens: {
      kind: auth.signingKey === undefined && !auth.signedTokens ? 'opaque' : 'jwt',
      accessSeconds: Math.round(auth.accessHours * HOUR_S),
      refreshSeconds: REFRESH_DAYS * DAY_S,
    },
    signingKey: auth.signingKey,
    acceptsUnkeyedMarks,
    registration: { enabled: auth.registration },
    fetchDocument: async (url) => {
      const answer = await safeFetch(url, { maxBytes: METADATA_LIMIT_BYTES, timeoutMs: METADATA_TIMEOUT_MS });
      return {
        status: answer.status,
        contentType: answer.headers.get('content-type') ?? '',
        body: await answer.text(),
      };
    },
    log,
    comparePassword: passwords?.compare,
  });
  const { directory, hasUsers } = server.pages;
  if (hasUsers && !isRehearsal && !auth.oidc && (await directory.isEmpty())) throw nobody();
  const stop =
    hasUsers && folder !== undefined
      ? await answerRequests(folder, (request) => carryOut(directory, request as UserRequest, OPERATOR), log)
      : undefined;
  return {
    server,
    close: async () => {
      await stop?.();
      await server.close();
      await passwords?.close();
      await state.close();
    },
  };
}

/** Roles of the users of the configuration. A single one needs none to be an admin. */
export function rolesOf({ users, admins, roles }: AuthConfig): Map<string, Role> {
  const names = Object.keys(users);
  return new Map(
    names.flatMap((name) => {
      const role = admins.includes(name) ? 'admin' : roles[name];
      const single = names.length === 1 ? ('admin' as const) : undefined;
      return (role ?? single) === undefined ? [] : [[name, (role ?? single)!]];
    }),
  );
}

/** The name under which changes from a terminal are logged. */
export const OPERATOR = 'operator';

function knownClients({ clients, clientId, clientSecret }: AuthConfig): AuthConfig['clients'] {
  if (clientId === undefined || clientSecret === undefined) return clients;
  return [...clients, { id: clientId, secret: clientSecret }];
}

/** What to do, by the flags of the command: the second brain alone (`quire brain`, `sb serve`) has others. */
const PROTECTIONS = {
  notebooks: 'Choose --auth oauth, bearer or jwt (QUIRE_AUTH, or auth.mode in the file)',
  brain: 'Give --token (SB_SERVE_TOKEN), or set auth.mode to oauth, bearer or jwt in the file',
} as const;

/** Serving beyond this machine requires authentication. */
export function assertProtected(
  serve: Pick<ServeConfig, 'host' | 'publicUrl'>,
  auth: AuthConfig,
  { served = 'notebooks', state }: { served?: keyof typeof PROTECTIONS; state?: Config['state'] } = {},
): void {
  if (auth.mode === 'none' && !isLocal(serve))
    throw new AppError('invalid_input', 'Refusing to serve notes to the network without authentication', {
      subject: serve.host,
      hint: `${PROTECTIONS[served]}, or listen on 127.0.0.1.`,
    });
  if (auth.mode === 'bearer' && auth.tokens.length === 0)
    throw refused(
      '--auth bearer needs at least one token',
      'Give --auth-tokens, QUIRE_AUTH_TOKENS, or auth.tokens in the file.',
    );
  if (auth.mode !== 'oauth') return;
  const hasUsers = Object.keys(auth.users).length > 0;
  if (hasUsers && auth.ownerToken !== undefined)
    throw refused(
      'Users and an owner token are both given',
      'Give one of them: --auth-users (auth.users in the file), or --owner-token (OWNER_TOKEN, auth.ownerToken).',
    );
  assertOidc(auth);
  const mayLogIn = hasUsers || auth.ownerToken !== undefined || auth.oidc !== undefined;
  if (!mayLogIn && !mayKeepUsers(serve, state)) throw nobody();
  if ((auth.clientId === undefined) !== (auth.clientSecret === undefined))
    throw refused(
      'The id and the secret of an OAuth client go together',
      'Give both or neither: OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET, or auth.clientId and auth.clientSecret in the file.',
    );
}

/** Whether there is a state, and so perhaps users in it: it is not known before it is opened. */
function mayKeepUsers(serve: Pick<ServeConfig, 'host' | 'publicUrl'>, state: Config['state']): boolean {
  if (state?.postgres !== undefined) return true;
  if (state?.dir !== undefined) return state.dir !== 'memory';
  return isLocal(serve) || serve.publicUrl !== undefined;
}

export function nobody(): AppError {
  return refused(
    'No one can log in: there are no users',
    'Give --auth-users user:bcrypt_hash, or auth.users in the file; quire hash-password makes the hash. Or add one to the state with quire users add.',
  );
}

/** A configuration that the server does not start with. */
export function refused(title: string, hint: string): AppError {
  return new AppError('invalid_input', title, { hint });
}

export interface PublicUrlNeed {
  /** Whether a public URL is required with every authentication mode; with a login it always is. */
  readonly always: boolean;
  /** Flag and variable, such as `--server-url or SERVER_URL`. */
  readonly option: string;
}

/** The public URL, which is also in tokens, is never guessed for a server that others can reach. */
export function assertAddressKnown(
  serve: Pick<ServeConfig, 'host' | 'publicUrl'>,
  auth: AuthConfig,
  need: PublicUrlNeed,
): void {
  if (serve.publicUrl !== undefined || isLocal(serve)) return;
  if (auth.mode !== 'oauth' && !need.always) return;
  throw new AppError('invalid_input', 'The address clients reach this server at is not known', {
    subject: `give ${need.option} with the https address`,
    hint: `Without it only a loopback address can be listened on, such as 127.0.0.1; this is ${serve.host}.`,
  });
}

export function isLocal({ host }: Pick<ServeConfig, 'host'>): boolean {
  return host === 'localhost' || reachOf(host) === 'loopback';
}
