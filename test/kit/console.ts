/** `quire serve` as a process of its own, and people who use its console: over HTTP here, in a browser in browser.ts. */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import bcrypt from 'bcryptjs';
import { onTestFinished } from 'vitest';
import { openHistoryOf } from '../../src/app/change-tracking.ts';
import type { ChangeAuthor } from '../../src/history/change.ts';
import type { NewEdit } from '../../src/notes/edit-recorder.ts';
import { silentLog } from '../../src/shared/log.ts';
import { eventually } from './eventually.ts';
import { type HttpServer, startHttp } from './http.ts';
import { approve, formIn, type Person } from './login.ts';
import { putFile, temporaryFolder } from './temp.ts';

export const PASSWORD = 'correct horse battery';
const HASH = bcrypt.hashSync(PASSWORD, 4);

export interface ConsoleServer extends HttpServer {
  /** The newest link with a key; for a server without users. */
  link(): Promise<string>;
  readonly users: readonly string[];
}

export interface ConsoleSettings {
  /** As in quire.yaml; a port and a folder for the state are added where they are missing. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Names of users, all with `PASSWORD`. Without any, the console opens with a link. */
  readonly users?: readonly string[];
  readonly admins?: readonly string[];
  readonly roles?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

export async function serveConsole(settings: ConsoleSettings): Promise<ConsoleServer> {
  const { config, users = [], admins = [], roles = {}, environment } = settings;
  const folder = await temporaryFolder();
  const auth = { mode: 'oauth', users: Object.fromEntries(users.map((user) => [user, HASH])), admins, roles };
  const whole = {
    serve: { port: 0 },
    state: { dir: join(folder, 'state') },
    ...(users.length > 0 && { auth }),
    ...config,
  };
  await putFile(folder, 'quire.yaml', JSON.stringify(whole));
  const server = await startHttp(['serve', '--config', join(folder, 'quire.yaml')], environment);
  const used = new Set<string>();
  const link = () =>
    eventually(() => {
      const newest = [...server.errors().matchAll(/https?:\/\/\S+\/console\/enter\?key=\S+/g)].at(-1)?.[0];
      if (newest === undefined || used.has(newest)) throw new Error('no link that was not used');
      used.add(newest);
      return newest;
    });
  return { ...server, link, users };
}

/** A field with several values is sent several times. */
type FormFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A signed-in person without a browser: cookies, pages and forms. */
export interface ConsolePerson {
  readonly cookie: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<ConsoleAnswer>;
  /** Sends fields with the value that protects the forms, unless they have another. */
  post(path: string, fields: FormFields, headers?: Readonly<Record<string, string>>): Promise<ConsoleAnswer>;
}

export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where it leads, for a redirect. */
  readonly location: string | undefined;
}

/** `user` for a server with users. */
export async function signIn(
  server: ConsoleServer,
  user?: string,
  password = PASSWORD,
): Promise<ConsolePerson> {
  const cookies = new Map<string, string>();
  const visit = async (path: string, init: RequestInit = {}): Promise<ConsoleAnswer> => {
    const answer = await fetch(new URL(path, server.origin), {
      redirect: 'manual',
      ...init,
      headers: { Cookie: cookieLine(cookies), ...init.headers },
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const { status, headers } = answer;
    return { status, headers, text: await answer.text(), location: headers.get('location') ?? undefined };
  };
  const post = (path: string, fields: FormFields, headers = {}) => {
    const all = Object.entries(fields).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    );
    return visit(path, { method: 'POST', body: new URLSearchParams(all), headers });
  };
  const { text } = await visit(user === undefined ? await server.link() : '/console/enter');
  const form = formIn(text);
  if (!form) throw new Error(`no form to sign in: ${text.slice(0, 500)}`);
  const login: Record<string, string> =
    user === undefined ? {} : { username: user, password, action: 'login' };
  const entered = await post(form.action, { ...Object.fromEntries(form.fields), ...login });
  if (entered.status !== 303) throw new Error(`not signed in: ${entered.status} ${entered.text}`);
  let csrf: string | undefined;
  return {
    get cookie() {
      return cookieLine(cookies);
    },
    get: (path, headers) => visit(path, { headers }),
    post: async (path, fields, headers) => {
      csrf ??= /name="csrf" value="([^"]*)"/.exec((await visit('/')).text)?.[1] ?? '';
      return post(path, { csrf, ...fields }, headers);
    },
  };
}

function cookieLine(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

const CALLBACK = 'http://127.0.0.1:9/callback';

/** An app that a user has let in: registered, approved, with an access token. */
export async function connectApp(
  { origin }: Pick<ConsoleServer, 'origin'>,
  user: string,
  {
    name = 'Test app',
    scope,
    approve: allow = approve,
  }: {
    readonly name?: string;
    readonly scope?: string;
    readonly approve?: (address: URL, person: Person) => Promise<URL>;
  } = {},
): Promise<{ readonly token: string; readonly clientId: string; readonly scope: string }> {
  const registered = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      client_name: name,
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString('base64url');
  const address = new URL('/oauth/authorize', origin);
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${origin}/mcp`,
    ...(scope !== undefined && { scope }),
  }).toString();
  const person: Person = { username: user, password: PASSWORD };
  const code = (await allow(address, person)).searchParams.get('code') ?? '';
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: CALLBACK,
    resource: `${origin}/mcp`,
  };
  const answer = await fetch(`${origin}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const tokens = (await answer.json()) as { access_token?: string; scope?: string };
  if (tokens.access_token === undefined) throw new Error(`no token: ${JSON.stringify(tokens)}`);
  return { token: tokens.access_token, clientId, scope: tokens.scope ?? '' };
}

interface ClientOptions {
  readonly name?: string;
  readonly token?: string;
  readonly path?: string;
  /** `legacy` has a session. */
  readonly mode?: 'legacy' | 'auto';
  readonly capabilities?: ClientCapabilities;
}

/** A real MCP client under a name of its own. */
export async function connectClient(
  { origin }: Pick<ConsoleServer, 'origin'>,
  { name = 'test', token, path = '/mcp', mode = 'auto', capabilities }: ClientOptions = {},
): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(path, origin), {
    ...(token !== undefined && { requestInit: { headers: { Authorization: `Bearer ${token}` } } }),
  });
  const client = new Client({ name, version: '1.0' }, { capabilities, versionNegotiation: { mode } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

export interface SeededChange {
  readonly by: ChangeAuthor;
  readonly tool?: string;
  readonly edits: readonly (NewEdit & { readonly before?: string; readonly after?: string })[];
}

/** Records changes in the history of a folder, as a process with this state folder does; no note is changed. */
export async function seedChanges(
  folder: string,
  stateFolder: string,
  changes: readonly SeededChange[],
): Promise<void> {
  const place = { folder: join(stateFolder, 'history'), days: 90, maxBytes: 500_000_000, required: true };
  const history = openHistoryOf({ folder }, place, { log: silentLog });
  const bytes = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text));
  const record = async ({ by, tool = 'write_note', edits }: SeededChange) => {
    const recorder = history.record({ notebook: 'mine', tool, by });
    for (const { before, after, ...edit } of edits) {
      const open = await recorder.begin(edit, { before: bytes(before), after: bytes(after) });
      await open.done();
    }
  };
  // Begun in order, flushed together.
  for (let at = 0; at < changes.length; at += 200) await Promise.all(changes.slice(at, at + 200).map(record));
  await history.close();
}

/** A new note, for `seedChanges`. */
export function creation(path: string, by: ChangeAuthor, text = path): SeededChange {
  return { by, edits: [{ kind: 'create', path, after: text }] };
}
