/** Puts together who may call a server over HTTP. */
import { type Authenticate, anyOf } from './auth/authenticate.ts';
import { bearerTokens } from './auth/bearer.ts';
import { signedTokens } from './auth/jwt.ts';
import type { AuthConfig, Config, ServeConfig } from './config/schema.ts';
import { type AuthorizationServer, createAuthorizationServer } from './oauth/authorization-server.ts';
import { adoptSigningKey } from './oauth/grant.ts';
import { openPasswordWorker } from './oauth/password-worker.ts';
import { AppError } from './shared/errors.ts';
import type { Route } from './shared/exchange.ts';
import { reachOf } from './shared/ip-ranges.ts';
import type { Log } from './shared/log.ts';
import { ANONYMOUS } from './shared/principal.ts';
import { safeFetch } from './shared/safe-fetch.ts';
import { openFileState } from './state/file.ts';
import { openMemoryState } from './state/memory.ts';

export interface OpenAuth {
  readonly authenticate: Authenticate;
  /** Of the authorization server, where there is one. */
  readonly routes: readonly Route[];
  /** Where clients learn how to get a token. */
  readonly resourceMetadata?: string;
  close(): Promise<void>;
}

export interface AuthServices {
  readonly log: Log;
  /** Where a server at this address keeps what must survive a restart. */
  readonly stateFolderFor: (origin: string) => string;
  /** The program of the thread that compares passwords; without it, that is done where requests are answered. */
  readonly passwordThread?: string;
}

export async function openAuth(
  auth: AuthConfig,
  config: Config,
  origin: string,
  services: AuthServices,
): Promise<OpenAuth> {
  if (auth.mode !== 'oauth')
    return { authenticate: authenticatorOf(auth, undefined), routes: [], close: async () => {} };
  const { server, close } = await openOAuth(auth, config, origin, services);
  return {
    authenticate: authenticatorOf(auth, server),
    routes: server.routes.map((route): Route => ({ ...route, anyOrigin: true })),
    resourceMetadata: `${origin}/.well-known/oauth-protected-resource`,
    close,
  };
}

function authenticatorOf(auth: AuthConfig, oauth: AuthorizationServer | undefined): Authenticate {
  switch (auth.mode) {
    case 'none':
      return async () => ANONYMOUS;
    case 'bearer':
      return bearerTokens(auth.tokens);
    case 'jwt': {
      const { jwtSecret, jwtPublicKey, jwtIssuer, jwtAudience } = auth;
      return signedTokens({
        ...(jwtSecret !== undefined && { secret: jwtSecret }),
        ...(jwtPublicKey !== undefined && { publicKey: jwtPublicKey }),
        ...(jwtIssuer !== undefined && { issuer: jwtIssuer }),
        ...(jwtAudience !== undefined && { audience: jwtAudience }),
      });
    }
    case 'oauth':
      return anyOf(bearerTokens(auth.tokens), async (token) =>
        token === undefined ? undefined : oauth?.verify(token),
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
  { state: { dir } = {} }: Config,
  origin: string,
  { log, stateFolderFor, passwordThread }: AuthServices,
): Promise<{ server: AuthorizationServer; close: () => Promise<void> }> {
  const state =
    dir === 'memory' ? openMemoryState() : await openFileState(dir ?? stateFolderFor(origin), { log });
  const passwords = passwordThread === undefined ? undefined : openPasswordWorker(passwordThread);
  const server = createAuthorizationServer({
    issuer: origin,
    resource: origin,
    state,
    ...(auth.ownerToken === undefined
      ? { users: new Map(Object.entries(auth.users)) }
      : { ownerToken: auth.ownerToken }),
    clients: knownClients(auth),
    tokens: {
      kind: auth.signingKey === undefined && !auth.signedTokens ? 'opaque' : 'jwt',
      accessSeconds: Math.round(auth.accessHours * HOUR_S),
      refreshSeconds: REFRESH_DAYS * DAY_S,
    },
    ...(auth.signingKey !== undefined && { signingKey: auth.signingKey }),
    acceptsUnkeyedMarks: await adoptSigningKey(state, auth.signingKey),
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
    ...(passwords && { comparePassword: passwords.compare }),
  });
  return {
    server,
    close: async () => {
      await server.close();
      await passwords?.close();
      await state.close();
    },
  };
}

function knownClients({ clients, clientId, clientSecret }: AuthConfig): AuthConfig['clients'] {
  if (clientId === undefined || clientSecret === undefined) return clients;
  return [...clients, { id: clientId, secret: clientSecret }];
}

/** Whoever can reach the server can read the notes: beyond this machine only with a key. */
export function assertProtected(serve: ServeConfig, auth: AuthConfig): void {
  const isLocal = serve.host === 'localhost' || reachOf(serve.host) === 'loopback';
  if (auth.mode === 'none' && !isLocal)
    throw new AppError('invalid_input', 'Refusing to serve notes to the network without authentication', {
      subject: serve.host,
      hint: 'Choose --auth oauth, bearer or jwt, or listen on 127.0.0.1.',
    });
  if (auth.mode === 'bearer' && auth.tokens.length === 0)
    throw new AppError('invalid_input', 'auth.mode bearer needs at least one token', {
      hint: 'Give auth.tokens, or QUIRE_AUTH_TOKENS.',
    });
  if (auth.mode !== 'oauth') return;
  const hasUsers = Object.keys(auth.users).length > 0;
  if (hasUsers && auth.ownerToken !== undefined)
    throw new AppError('invalid_input', 'auth.users and auth.ownerToken are both given', {
      hint: 'Give one of them.',
    });
  if (!hasUsers && auth.ownerToken === undefined)
    throw new AppError('invalid_input', 'Nobody could log in: there are no users', {
      hint: 'Give --auth-users user:bcrypt_hash; quire hash-password makes the hash.',
    });
  if ((auth.clientId === undefined) !== (auth.clientSecret === undefined))
    throw new AppError('invalid_input', 'auth.clientId and auth.clientSecret go together', {
      hint: 'Give both (OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET), or neither.',
    });
  if (serve.publicUrl === undefined && !isLocal)
    throw new AppError('invalid_input', 'The address clients reach this server at is not known', {
      hint: 'Give --server-url (or --public-url) with the https address.',
    });
}
