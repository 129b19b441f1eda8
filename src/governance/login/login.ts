/** Login of a person at an HTTP server (OAuth 2.1 authorization code with PKCE), and logout. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { auth, extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client';
import { AppError, isAppError } from '../../shared/errors.ts';
import { orAbort } from '../../upstream/deadline.ts';
import {
  createProvider,
  type LoginPlace,
  type LoginRecord,
  type LoginStore,
  type LoginTarget,
} from './provider.ts';

const HOST = '127.0.0.1';
const PATH = '/callback';
const REQUEST_MS = 10_000;
const DONE = 'You can close this page and go back to the terminal.\n';

/**
 * Receives the redirect back from the authorization server on loopback (RFC 8252): a request with `state` only. Port 0
 * means any free one.
 */
async function listenForCallback(state: string, port: number) {
  let receive: (parameters: URLSearchParams) => void = () => {};
  const came = new Promise<URLSearchParams>((resolve) => {
    receive = resolve;
  });
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => answer(request, response, { state, receive }),
  );
  server.maxConnections = 16;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(notListening(port, cause)));
    server.listen(port, HOST, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    redirectUrl: `http://${HOST}:${taken}${PATH}`,
    /** The query of the redirect. Rejects when the signal is aborted. */
    arrived: (signal: AbortSignal) => orAbort(came, signal, () => signal.reason),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { state, receive }: { state: string; receive: (parameters: URLSearchParams) => void },
): void {
  const address: [string, string] = [request.url ?? '', `http://${HOST}`];
  const url = URL.canParse(...address) ? new URL(...address) : undefined;
  const isMeant = request.method === 'GET' && url?.pathname === PATH;
  const isOurs = isMeant && isSame(url.searchParams.get('state') ?? '', state);
  response
    .writeHead(isOurs ? 200 : 404, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      Connection: 'close',
    })
    .end(isOurs ? DONE : 'Not found.\n');
  if (isOurs) receive(url.searchParams);
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function notListening(port: number, cause: unknown): AppError {
  return new AppError('conflict', 'Cannot listen for the browser to come back', {
    subject: `${HOST}:${port}`,
    hint: 'Free the port, or change oauth.redirect_port.',
    cause,
  });
}

interface LoginParts extends LoginTarget {
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Shows the authorization page to the person. */
  readonly show: (page: URL) => Promise<void>;
}

export async function logIn(parts: LoginParts): Promise<'logged_in' | 'not_needed'> {
  const { place, settings, send, store } = parts;
  if (settings.grant === 'client_credentials')
    throw new AppError('unsupported', 'This server needs no login by a person', {
      subject: place.name,
      hint: 'With oauth.grant client_credentials the secret is enough.',
    });
  const challenge = await challengeOf(place, send);
  if (!challenge) return 'not_needed';
  const state = randomBytes(24).toString('base64url');
  const callback = await listenForCallback(state, settings.redirectPort ?? 0);
  try {
    // The port is part of the redirect URI, so a client registered for another port cannot be used.
    const provider = createProvider({
      place,
      store: hidingOldLogin(store, place),
      settings,
      redirectUrl: callback.redirectUrl,
      state,
      onPage: parts.show,
    });
    const scope = settings.scopes.join(' ') || challenge.scope;
    const options = {
      serverUrl: place.url,
      fetchFn: send,
      resourceMetadataUrl: challenge.resourceMetadataUrl,
      scope: scope || undefined,
    };
    await auth(provider, { ...options, forceReauthorization: true });
    const came = await callback.arrived(AbortSignal.any([parts.signal, patience(parts)]));
    const iss = came.get('iss') ?? undefined;
    await auth(provider, { ...options, authorizationCode: codeIn(came, place), iss });
    return 'logged_in';
  } catch (cause) {
    parts.signal.throwIfAborted();
    throw isAppError(cause) ? cause : notLoggedIn(place, cause);
  } finally {
    callback.close();
  }
}

/** Undefined for a server that answers without a login. */
async function challengeOf({ url }: LoginPlace, send: FetchLike) {
  const response = await send(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await response.body?.cancel();
  return response.status === 401 ? extractWWWAuthenticateParams(response) : undefined;
}

/** A store that hides the earlier login, which is replaced only once this one has tokens. */
function hidingOldLogin(store: LoginStore, place: LoginPlace): LoginStore {
  let made: LoginRecord | undefined;
  return {
    of: async () => made,
    async change(_, change) {
      made = { url: place.url, at: 0, ...made, ...change };
      if (made.tokens) {
        await store.forget(place.name);
        await store.change(place, made);
      }
    },
    forget: async () => {
      const gone = made;
      made = undefined;
      return gone;
    },
  };
}

function patience({ waitMs, place }: LoginParts): AbortSignal {
  const over = new AbortController();
  const late = new AppError('timeout', 'The login was not finished in time', {
    subject: place.name,
    hint: `It waited for ${Math.round(waitMs / 1000)} s (mcp_elicitation.wait_s). Run it again.`,
  });
  setTimeout(() => over.abort(late), waitMs).unref();
  return over.signal;
}

function codeIn(came: URLSearchParams, { name }: LoginPlace): string {
  const code = came.get('code');
  if (code) return code;
  const error = (came.get('error') ?? 'no code').replace(/[^\w ]/g, '').slice(0, 60);
  throw new AppError('forbidden', 'The login was refused', {
    subject: `${name}: ${error}`,
    hint: 'Run it again.',
  });
}

function notLoggedIn({ name }: LoginPlace, cause: unknown): AppError {
  // The server's own message may hold a code or a token.
  const kind = cause instanceof Error ? cause.name : 'unknown';
  return new AppError('upstream_failed', 'The login did not work', {
    subject: `${name}: ${kind}`,
    hint: 'Is its OAuth set up? Try again, or see oauth in docs/operate/governance.md.',
    cause,
  });
}

/** Revokes the tokens where the server can (RFC 7009), and forgets them in any case. */
export async function logOut(
  place: LoginPlace,
  store: LoginStore,
  send: FetchLike,
): Promise<'revoked' | 'forgotten' | 'not_logged_in'> {
  const record = await store.forget(place.name);
  if (!record?.tokens) return 'not_logged_in';
  return (await isRevoked(record, send)) ? 'revoked' : 'forgotten';
}

async function isRevoked({ client, tokens, revocation }: LoginRecord, send: FetchLike): Promise<boolean> {
  const token = tokens?.refresh_token ?? tokens?.access_token;
  if (!client || token === undefined || revocation === undefined) return false;
  const secret = 'client_secret' in client ? client.client_secret : undefined;
  const form = new URLSearchParams({
    token,
    client_id: client.client_id,
    ...(secret && { client_secret: secret }),
  });
  try {
    const response = await send(revocation, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
