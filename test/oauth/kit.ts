/** An authorization server without a socket, and its peers: browsers with cookies, clients with keys. */
import { createHash, randomBytes } from 'node:crypto';
import { genSaltSync, hashSync } from 'bcryptjs';
import { expect } from 'vitest';
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createAuthorizationServer,
} from '../../src/oauth/authorization-server.ts';
import type { LogLevel } from '../../src/shared/log.ts';
import { openMemoryState, type StateStore } from '../../src/state/memory.ts';

export const ISSUER = 'https://notes.example.com';
export const PASSWORD = 'correct horse battery';
export const OTHER_PASSWORD = 'staple of bob';
export const CALLBACK = 'https://claude.ai/api/mcp/auth_callback';
const CHEAP = genSaltSync(4);
/** Cheap to compare with; real ones cost 256 times as much. */
export const USERS = new Map([
  ['alex', hashSync(PASSWORD, CHEAP)],
  ['bob', hashSync(OTHER_PASSWORD, CHEAP)],
]);

/** Attacks by their description. */
export type AttackTable = Readonly<Record<string, () => Promise<void>>>;

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface OAuthServer {
  readonly server: AuthorizationServer;
  readonly state: StateStore;
  readonly clock: { now: number };
  readonly lines: LogLine[];
  readonly delays: number[];
  /** The answers of `fetchDocument`, by address. */
  readonly documents: Map<string, unknown>;
  readonly fetched: string[];
  call(path: string, init?: RequestInit & { address?: string }): Promise<Response>;
  /** A form, as clients send it. */
  post(
    path: string,
    form: Readonly<Record<string, string>>,
    headers?: Record<string, string>,
  ): Promise<Response>;
  register(
    metadata?: object,
  ): Promise<Record<string, unknown> & { client_id: string; client_secret?: string }>;
  browser(address?: string): Browser;
  /** Everything in the state, as text. */
  dump(): Promise<string>;
  events(message: string): LogLine[];
  advance(seconds: number): void;
}

type Options = Partial<Omit<AuthorizationServerOptions, 'tokens'>> & {
  tokens?: Partial<AuthorizationServerOptions['tokens']>;
};

export function openServer(options: Options = {}): OAuthServer {
  const clock = { now: 1_800_000_000_000 };
  const now = () => clock.now;
  const state = options.state ?? openMemoryState({ now });
  const lines: LogLine[] = [];
  const delays: number[] = [];
  const documents = new Map<string, unknown>();
  const fetched: string[] = [];
  const { tokens, ...rest } = options;
  const server = createAuthorizationServer({
    issuer: ISSUER,
    resource: ISSUER,
    state,
    ...(options.ownerToken === undefined && { users: USERS }),
    registration: { enabled: true },
    log: (level, message, fields = {}) => void lines.push({ level, message, fields }),
    now,
    delay: async (ms) => void delays.push(ms),
    fetchDocument: async (url) => {
      fetched.push(url.href);
      if (!documents.has(url.href)) throw new Error('connection refused');
      const document = documents.get(url.href);
      const body = typeof document === 'string' ? document : JSON.stringify(document);
      return { status: 200, contentType: 'application/json', body };
    },
    ...rest,
    tokens: { kind: 'opaque', accessSeconds: 86_400, refreshSeconds: 30 * 86_400, ...tokens },
  });
  const { origin } = new URL(options.issuer ?? ISSUER);

  const call: OAuthServer['call'] = async (path, { address = '203.0.113.7', ...init } = {}) => {
    const request = new Request(new URL(path, origin), { redirect: 'manual', ...init });
    const { pathname } = new URL(request.url);
    const route = server.routes.find((known) => known.method === request.method && known.path === pathname);
    if (!route) return new Response('no such route', { status: 404 });
    return route.handle(request, { address });
  };

  const post: OAuthServer['post'] = (path, form, headers = {}) =>
    call(path, { method: 'POST', body: new URLSearchParams(form), headers });

  return {
    server,
    state,
    clock,
    lines,
    delays,
    documents,
    fetched,
    call,
    post,
    async register(metadata = {}) {
      const answer = await call('/oauth/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: 'Claude', redirect_uris: [CALLBACK], ...metadata }),
      });
      expect(answer.status).toBe(201);
      return (await answer.json()) as Awaited<ReturnType<OAuthServer['register']>>;
    },
    browser: (address) => new Browser(call, address),
    async dump() {
      const keys = await state.list('');
      const entries = await Promise.all(
        keys.map(async (key) => `${key} ${JSON.stringify(await state.get(key))}`),
      );
      return entries.join('\n');
    },
    events: (message) => lines.filter((line) => line.message === message),
    advance(seconds) {
      clock.now += seconds * 1000;
    },
  };
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function pkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The address of an authorization request; `undefined` leaves a parameter out. */
export function authorizeUrl(
  parameters: Readonly<Record<string, string | undefined>>,
  path = '/oauth/authorize',
): string {
  const all = {
    response_type: 'code',
    redirect_uri: CALLBACK,
    state: 'xyz',
    code_challenge: pkce().challenge,
    code_challenge_method: 'S256',
    ...parameters,
  };
  const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `${path}?${new URLSearchParams(given)}`;
}

/** Keeps cookies, sends forms, follows nothing. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #call: OAuthServer['call'];
  readonly #address: string;
  html = '';

  constructor(call: OAuthServer['call'], address = '198.51.100.20') {
    this.#call = call;
    this.#address = address;
  }

  async open(path: string): Promise<Response> {
    return this.#keep(await this.#call(path, { headers: this.#headers('none'), address: this.#address }));
  }

  /** Sends the form of the page that is open. */
  async send(
    fields: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const form = new URLSearchParams({ ticket: this.ticket, ...fields });
    const all = { ...this.#headers('same-origin'), origin: 'null', ...headers };
    const answer = await this.#call(this.#action, {
      method: 'POST',
      body: form,
      headers: all,
      address: this.#address,
    });
    return this.#keep(answer);
  }

  get #action(): string {
    return /<form[^>]* action="([^"]+)"/.exec(this.html)?.[1] ?? '/oauth/authorize';
  }

  get ticket(): string {
    return /name="ticket" value="([^"]+)"/.exec(this.html)?.[1] ?? '';
  }

  logIn(username = 'alex', password = PASSWORD): Promise<Response> {
    return this.send({ action: 'login', username, password });
  }

  /** From the authorization request to the address the client is called back at. */
  async approve(url: string): Promise<URL> {
    expect((await this.open(url)).status).toBe(200);
    let answer = this.html.includes('name="password"') ? await this.logIn() : undefined;
    if (answer?.status !== 303) answer = await this.send({ action: 'approve' });
    return calledBack(answer);
  }

  #headers(site: string): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return { ...(cookie !== '' && { cookie }), 'sec-fetch-site': site };
  }

  async #keep(answer: Response): Promise<Response> {
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    this.html = await answer.clone().text();
    return answer;
  }
}

export function calledBack(answer: Response): URL {
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get('location') ?? '');
}

export function parametersOf(url: URL): Record<string, string> {
  return Object.fromEntries(url.searchParams);
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
  readonly token_type: string;
}

export interface AuthorizedClient extends Tokens {
  readonly clientId: string;
  readonly code: string;
  readonly verifier: string;
}

/** A client that went all the way: registered, approved by alex, with tokens. */
export async function connect(
  served: OAuthServer,
  { metadata = {}, query = {} }: { metadata?: object; query?: Record<string, string | undefined> } = {},
): Promise<AuthorizedClient> {
  const { client_id: clientId } = await served.register(metadata);
  const { verifier, challenge } = pkce();
  const back = await served
    .browser()
    .approve(authorizeUrl({ client_id: clientId, code_challenge: challenge, ...query }));
  const code = back.searchParams.get('code') ?? '';
  const answer = await exchange(served, { client_id: clientId, code, code_verifier: verifier });
  expect(answer.status).toBe(200);
  return { ...((await answer.json()) as Tokens), clientId, code, verifier };
}

export function exchange(
  served: OAuthServer,
  form: Readonly<Record<string, string>>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return served.post(
    '/oauth/token',
    { grant_type: 'authorization_code', redirect_uri: CALLBACK, ...form },
    headers,
  );
}

export function refresh(
  served: OAuthServer,
  clientId: string,
  token: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return served.post('/oauth/token', {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: token,
    ...more,
  });
}

export async function errorOf(answer: Response): Promise<string> {
  assertForClients(answer);
  const body = (await answer.json()) as { error: string; error_description: string };
  expect(body.error_description).toMatch(/\w/);
  return body.error;
}

export async function isValid(served: OAuthServer, token: string): Promise<boolean> {
  return (await served.server.verify(token)) !== undefined;
}

export async function tokensOf(answer: Response): Promise<Tokens> {
  expect(await answer.clone().json()).not.toHaveProperty('error');
  expect(answer.status).toBe(200);
  assertForClients(answer);
  return (await answer.json()) as Tokens;
}

/** Every answer to a client is JSON, is not cached, and can be read by scripts of any site. */
function assertForClients({ headers }: Response): void {
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('access-control-allow-origin')).toBe('*');
}

/** Asserts that the answer is an error or a page, and no redirect. */
export function staysHere(answer: Response): void {
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.headers.get('location')).toBeNull();
}

/** One part of a JWT. */
export function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >;
}
