/** Options of the authorization server. */
import { AppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { StateStore } from '../state/memory.ts';
import type { PreconfiguredClient } from './client-metadata.ts';
import type { FetchDocument } from './documents.ts';
import type { ComparePassword, Users } from './passwords.ts';
import { redirectUriProblem } from './redirect-uri.ts';

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

export interface TokenOptions {
  readonly kind: 'opaque' | 'jwt';
  readonly accessSeconds: number;
  /** 0 issues no refresh tokens. */
  readonly refreshSeconds: number;
}

export function assertOptions(options: AuthorizationServerOptions): void {
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
