/**
 * A SilverBullet of our own on loopback, in either dialect, held to recordings of the real ones by
 * `test/silverbullet/recordings.test.ts`. It can be made to misbehave in every way the real ones do.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { login, refusal } from './auth.ts';
import { type Answer, appShell, type Dialect, json, plain, send } from './dialect.ts';
import { Disk } from './disk.ts';
import { config, instance, otherMethod, ping, proxy, shell } from './endpoints.ts';
import { Events } from './events.ts';
import { fileRequest, listing } from './files.ts';
import { LIBRARY } from './library.ts';
import { runtime } from './runtime.ts';
import { type FakeRequest, type Fate, FOREIGN_HEADER, type Space } from './space.ts';

export interface FakeOptions {
  readonly dialect?: Dialect;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** When those were last changed; long ago by default. */
  readonly filesAt?: number;
  /** No authentication, as with SB_AUTH_TOKEN and without SB_USER. */
  readonly open?: boolean;
  readonly readOnly?: boolean;
  readonly prefix?: string;
  readonly runtime?: boolean;
  readonly shellBackend?: string;
  /** `/.events`, which only Rust has. */
  readonly events?: boolean;
  /** Without the pages every server brings along. */
  readonly bare?: boolean;
  /** A 0.x server: files at their own addresses, the listing in `/index.json`. */
  readonly ancient?: boolean;
  readonly folder?: string;
  /** Any free one by default. */
  readonly port?: number;
  /** One that was there before. */
  readonly disk?: Disk;
}

export interface FakeSilverBullet extends Space {
  close(): void;
  readonly url: string;
  readonly port: number;
  /** `GET /.fs/a.md` and so on, in order. */
  readonly requests: string[];
  /** A write by another client, over the wire. */
  put(name: string, text: string): Promise<void>;
}

export const TOKEN = 'tok-123';
const LONG_AGO = 1_700_000_000_123;

export async function openSilverBullet(options: FakeOptions = {}): Promise<FakeSilverBullet> {
  const space = spaceFor(options);
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    void respond(space, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.keepAliveTimeout = 0;
  await once(server.listen(options.port ?? 0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${space.prefix}`;
  const close = () => {
    space.events?.close();
    server.closeAllConnections();
    server.close();
  };
  return { ...space, url, port, requests, put: (name, text) => putAsForeigner(url, name, text), close };
}

function spaceFor(options: FakeOptions): Space {
  const {
    dialect = 'rust',
    open = false,
    filesAt = LONG_AGO,
    files = {},
    events = dialect === 'rust',
  } = options;
  const disk = options.disk ?? new Disk();
  for (const [name, content] of Object.entries(files)) disk.seed(name, content, filesAt);
  if (!options.bare)
    for (const [name, size] of LIBRARY[dialect]) disk.seed(name, 'x'.repeat(size), 1_794_707_753_000, 'ro');
  return {
    dialect,
    token: TOKEN,
    user: open ? undefined : { name: 'alice', password: 'wonderland' },
    prefix: options.prefix ?? '',
    folder: options.folder ?? '/space',
    readOnly: options.readOnly ?? false,
    shellBackend: options.shellBackend ?? 'local',
    hasRuntime: options.runtime ?? false,
    isAncient: options.ancient ?? false,
    disk,
    events: events ? new Events(disk) : undefined,
    faults: { latencyMs: () => 0, fate: () => undefined, onWay: () => undefined },
    happenings: [],
  };
}

async function respond(space: Space, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const url = request.url ?? '/';
  const method = request.method ?? 'GET';
  const isInside = url === space.prefix || url.startsWith(`${space.prefix}/`);
  const asked: FakeRequest = {
    method,
    path: isInside ? url.slice(space.prefix.length) || '/' : url,
    headers: request.headers,
    body: Buffer.concat(chunks),
    isForeign: request.headers[FOREIGN_HEADER] !== undefined,
  };
  const { latencyMs, fate } = space.faults;
  const delay = asked.isForeign ? 0 : latencyMs();
  if (delay > 0) await sleep(delay / 2);
  const met = fate({ method, name: asked.path, isForeign: asked.isForeign });
  if (met?.kind === 'frozen') await met.until;
  const doomed = met?.kind === 'frozen' ? undefined : met;
  if (doomed && !applies(doomed)) return end(space, doomed, response);
  if (isInside && isEvents(space, asked)) return space.events?.listen(response);
  const answer = isInside ? await answerTo(space, asked, doomed) : outsideOf(asked);
  if (delay > 0) await sleep(delay / 2);
  await space.faults.onWay({ method, name: asked.path });
  if (doomed?.kind === 'half') return breakOff(response, answer);
  if (doomed && doomed.kind !== 'disk-full') return end(space, doomed, response);
  send(response, answer, method === 'HEAD');
}

function applies(fate: Fate): boolean {
  return fate.kind === 'disk-full' || fate.kind === 'half' || ('applies' in fate && fate.applies);
}

function breakOff(response: ServerResponse, { status, headers = {}, body = '' }: Answer): void {
  const bytes = Buffer.from(body);
  const { 'transfer-encoding': _, ...rest } = headers as Record<string, string>;
  response.writeHead(status, { ...rest, 'content-length': String(bytes.length + 1) });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}

function end({ dialect }: Space, fate: Fate, response: ServerResponse): void {
  if (fate.kind === 'reset') response.socket?.resetAndDestroy();
  else if (fate.kind === 'status') send(response, plain('the upstream is unwell', fate.status));
  else send(response, appShell(dialect));
}

function isEvents(space: Space, asked: FakeRequest): boolean {
  const isThere = asked.path === '/.events' && space.events !== undefined && !space.isAncient;
  return isThere && refusal(space, asked) === undefined;
}

function outsideOf({ path }: FakeRequest): Answer {
  if (path === '/.instance') return instance();
  return {
    status: 404,
    headers: { 'content-type': 'text/html' },
    body: '<html><body><h1>No space here</h1><p>Manage spaces in the <a href="/.spaces">spaces UI</a>.</p></body></html>',
  };
}

async function answerTo(space: Space, asked: FakeRequest, doomed: Fate | undefined): Promise<Answer> {
  const { dialect } = space;
  const { method, path } = asked;
  if (space.isAncient) return path === '/index.json' ? json('rust', []) : appShell(dialect);
  if (path === '/.ping') return ping(space);
  if (path === '/.instance' && dialect === 'rust') return instance();
  if (path === '/.auth') return login(space, asked);
  const refused = refusal(space, asked);
  if (refused) return refused;
  if (path === '/.fs' || path === '/.fs/') return listing(space, asked);
  if (path.startsWith('/.fs/'))
    return fileRequest(space, asked, doomed?.kind === 'disk-full' ? doomed.shortage : undefined);
  if (path === '/.config') return config(space);
  if (path === '/.shell') return shell(space, asked);
  if (path.startsWith('/.proxy/')) return proxy(space);
  if (path.startsWith('/.runtime/lua')) return runtime(space, asked);
  if (path === '/.events' && dialect === 'rust') return { status: 404, body: '404 page not found\n' };
  return method === 'GET' || method === 'HEAD' ? appShell(dialect) : otherMethod(space, asked);
}

async function putAsForeigner(url: string, name: string, text: string): Promise<void> {
  const address = `${url}/.fs/${name.split('/').map(encodeURIComponent).join('/')}`;
  const headers = { authorization: `Bearer ${TOKEN}`, [FOREIGN_HEADER]: '1' };
  const answer = await fetch(address, { method: 'PUT', headers, body: text });
  await answer.arrayBuffer();
}
