/**
 * The way out of a sandbox that may reach some hosts: an HTTP proxy (RFC 9110, CONNECT and absolute-form requests) on a
 * UNIX socket in a private folder. A host must be in the list by its name and port, and all its addresses must be public
 * ones or in the list themselves; the connection is made to the checked addresses. What is refused is counted and named.
 */
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, open as openFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as openRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectTo, type Target } from '../../shared/connections.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { type HostList, type HostPort, hostListOf, hostPortText } from '../../shared/host-list.ts';
import { isLoopbackName } from '../../shared/ip-ranges.ts';
import { printable } from '../../shared/printable.ts';
import { checkedAddresses, type SafeFetchOptions } from '../../shared/safe-fetch.ts';
import { createPacer, type Pacer } from '../pace.ts';

/** Connections of a server since it was first started. */
export interface EgressCounts {
  allowed: number;
  refused: number;
  /** Allowed, and not reached. */
  failed: number;
  /** What was refused, each once. */
  readonly denied: Set<string>;
}

export function noEgress(): EgressCounts {
  return { allowed: 0, refused: 0, failed: 0, denied: new Set() };
}

/** How hosts are found and reached, where it is not by this machine's own means. */
export interface EgressMeans {
  readonly resolve?: SafeFetchOptions['resolve'];
  readonly connect?: (target: Target) => Duplex;
  readonly idleMs?: number;
  readonly connectMs?: number;
}

interface EgressOptions extends EgressMeans {
  readonly list: readonly string[];
  /** Its socket is made in it. */
  readonly folder: string;
  readonly counts: EgressCounts;
  /** Called once for each place, up to a number, with the reason. */
  readonly onDenied?: (place: string, why: string) => void;
}

export interface Egress {
  close(): Promise<void>;
}

export const SOCKET_NAME = 'net';

const MAX_CONNECTIONS = 64;
const MAX_DENIED = 20;
const MAX_PLACE = 300;
const CONNECT_MS = 10_000;
const HEADERS_MS = 10_000;
const IDLE_MS = 10 * 60_000;

/** Nothing is listened to on the network: the socket is a file, and its folder is for its owner alone. */
export async function openEgress(options: EgressOptions): Promise<Egress> {
  const { folder } = options;
  const exit = createExit(options);
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: 0 });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connect', (request, client, head) => void exit.tunnel(request, client, head));
  server.on('request', (request, response) => void exit.forward(request, response));
  // A malformed request: without a listener Node would answer it the same way, but keep half-open sockets.
  server.on('clientError', (_, client) => client.destroy());
  const place = await openFile(folder, constants.O_DIRECTORY | constants.O_RDONLY);
  try {
    // The path of a socket has at most 107 bytes, and a state folder may be deeper.
    server.listen(`/proc/self/fd/${place.fd}/${SOCKET_NAME}`);
    await once(server, 'listening');
  } catch (cause) {
    await place.close();
    throw cause;
  }
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return { close: () => closeAll(server, sockets, place) };
}

async function closeAll(server: Server, sockets: ReadonlySet<Socket>, place: FileHandle): Promise<void> {
  const isClosed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of sockets) socket.destroy();
  await isClosed;
  await place.close();
}

function createExit(options: EgressOptions) {
  const { counts, connect = connectTo, connectMs = CONNECT_MS, idleMs = IDLE_MS, onDenied } = options;
  const list = hostListOf(options.list);
  const told = new Set<string>();
  const pace = createPacer();

  const deny = (place: string, why: string): AppError => {
    counts.refused++;
    const shown = printable(place, MAX_PLACE);
    if (counts.denied.size < MAX_DENIED) counts.denied.add(shown);
    if (!told.has(shown) && told.size < MAX_DENIED) {
      told.add(shown);
      onDenied?.(shown, why);
    }
    return new AppError('forbidden', `The sandbox denied ${shown}`, { hint: why });
  };
  const reach = async (place: HostPort): Promise<Duplex> => {
    const name = hostPortText(place);
    if (place.port === NAME_ALONE) throw deny(place.host, whyNoName(list, place.host));
    if (!list.allows(place)) throw deny(name, 'it is not in sandbox_network');
    const addresses = await within(connectMs, addressesOf(list, place, options)).catch((error) => {
      if (isAppError(error) && error.code === 'forbidden')
        throw deny(name, 'its address is not public, and not in sandbox_network itself');
      throw error;
    });
    const socket = connect({ ...place, secure: false, addresses });
    try {
      await within(connectMs, once(socket, 'connect'));
    } catch (cause) {
      socket.destroy();
      throw cause;
    }
    counts.allowed++;
    return socket;
  };
  /** The connection, or what to answer. */
  const opened = (place: HostPort | undefined): Promise<Duplex | Refusal> => {
    if (!place) return Promise.resolve({ status: 400, text: 'This is a proxy; it takes CONNECT and http.' });
    return reach(place).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'forbidden')
        return { status: 403, text: `${error.title}: ${error.hint}.` };
      counts.failed++;
      return { status: 502, text: `${hostPortText(place)} cannot be reached.` };
    });
  };

  return {
    async tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
      client.on('error', () => client.destroy());
      const way = await opened(placeOf(request.url ?? ''));
      if (!isWay(way)) {
        client.end(refusalText(way));
        return;
      }
      join(client, way, { idleMs, pace });
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) way.write(head);
    },
    async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const url = urlOf(request);
      const way = await opened(url && placeOf(`${url.hostname}:${url.port || 80}`));
      if (!url || !isWay(way)) {
        const { status, text } = isWay(way) ? NO_URL : way;
        response.writeHead(status, { connection: 'close', 'content-type': 'text/plain' }).end(`${text}\n`);
        return;
      }
      await passOn(request, response, { url, way }).catch(() => response.destroy());
    },
  };
}

/** Not a connection: a program asked for the address of a host. */
const NAME_ALONE = 0;

/** Only exact names have an address inside. */
function whyNoName(list: HostList, host: string): string {
  const isWild = list.entries.some(({ port }) => list.allows({ host, port }));
  return isWild
    ? 'a "*" entry of sandbox_network is only for programs that use HTTPS_PROXY; list the name itself'
    : 'it is not in sandbox_network';
}

function addressesOf(list: HostList, { host, port }: HostPort, { resolve }: EgressMeans) {
  return checkedAddresses(host.replace(/\.$/, ''), {
    allow: isLoopbackName(host) ? 'loopback' : 'public',
    resolve,
    isNamed: (address) => list.allows({ host: address, port }),
  });
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = sleep(ms, undefined, { signal: done.signal }).then(() => {
    throw new AppError('timeout', 'Server took too long');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    late.catch(() => undefined);
    done.abort();
  }
}

interface Refusal {
  readonly status: 400 | 403 | 502;
  readonly text: string;
}

const NO_URL: Refusal = { status: 400, text: 'This is a proxy.' };
const STATUS = { 400: 'Bad Request', 403: 'Forbidden', 502: 'Bad Gateway' } as const;

function isWay(value: Duplex | Refusal): value is Duplex {
  return !('status' in value);
}

function refusalText({ status, text }: Refusal): string {
  const head = [`HTTP/1.1 ${status} ${STATUS[status]}`, 'connection: close', 'content-type: text/plain'];
  return `${[...head, `content-length: ${Buffer.byteLength(text) + 1}`].join('\r\n')}\r\n\r\n${text}\n`;
}

/** `host:port`, as CONNECT has it; the host of an address in brackets. */
function placeOf(authority: string): HostPort | undefined {
  const [, bracketed, host = bracketed, port] =
    /^(?:\[([^[\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(authority) ?? [];
  return host === undefined ? undefined : { host: host.toLowerCase(), port: Number(port) };
}

function urlOf({ url = '' }: IncomingMessage): URL | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return parsed?.protocol === 'http:' ? parsed : undefined;
}

/** About what it costs to pass bytes on: a server may not use up the event loop with its connections either. */
const MS_PER_BYTE = 4 / 1_048_576;

/** Each side holds at most the buffers of its streams: one that is not read is not read from either. */
function join(client: Duplex, way: Duplex, { idleMs, pace }: { idleMs: number; pace: Pacer }): void {
  const end = () => {
    client.destroy();
    way.destroy();
  };
  const timer = setTimeout(end, idleMs).unref();
  const pass = (from: Duplex, to: Duplex) => {
    from.on('data', (chunk: Buffer) => {
      timer.refresh();
      const hasRoom = to.write(chunk);
      const wait = pace(chunk.length * MS_PER_BYTE);
      if (hasRoom && !wait) return;
      from.pause();
      const goOn = () => from.resume();
      Promise.all([wait, hasRoom || once(to, 'drain')]).then(goOn, goOn);
    });
    from.once('end', () => to.end());
    from.once('error', end);
    from.once('close', () => {
      // What was written before still goes out, within the idle time.
      if (to.destroyed) clearTimeout(timer);
      else to.end(() => to.destroy());
    });
  };
  pass(client, way);
  pass(way, client);
  if (client.destroyed) end();
}

const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}

/** One request on a connection of its own, to the host of its URL. */
async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  { url, way }: { readonly url: URL; readonly way: Duplex },
): Promise<void> {
  const outgoing = openRequest({
    method: request.method ?? 'GET',
    path: `${url.pathname}${url.search}`,
    headers: { ...endToEnd(request.headers), host: url.host, connection: 'close' },
    createConnection: () => way,
  });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => undefined);
  try {
    await pipeline(request, outgoing);
    const [answer] = await answered;
    response.writeHead(answer.statusCode ?? 502, { ...endToEnd(answer.headers), connection: 'close' });
    await pipeline(answer, response);
  } finally {
    way.destroy();
  }
}
