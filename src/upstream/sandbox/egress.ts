/**
 * The way out of a sandbox that may reach some hosts: an HTTP proxy (RFC 9110, CONNECT and absolute-form requests) on a
 * UNIX socket in a private folder. A host must be in the list by its name and port, and all its addresses must be public
 * ones or in the list themselves; the connection is made to the checked addresses. What is refused is counted and named.
 * A connection is for one request, of which only the head is read: a parser of all that a server sends could be kept busy.
 */
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, open as openFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
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
  /** The addresses that were refused, each once. */
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
const HEAD_MS = 10_000;
const MAX_HEAD = 16 * 1024;
const IDLE_MS = 10 * 60_000;

/** Nothing is listened to on the network: the socket is a file, and its folder is for its owner alone. */
export async function openEgress(options: EgressOptions): Promise<Egress> {
  const { folder } = options;
  const exit = createExit(options);
  // A program may end its request before the answer.
  const server = createServer({ allowHalfOpen: true });
  server.maxConnections = MAX_CONNECTIONS;
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
    socket.on('error', () => socket.destroy());
    void exit(socket);
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

  let line = Promise.resolve();
  /** Many connections at once begin one by one. */
  const turn = () => {
    line = line.then(async () => void (await (pace(MS_PER_CONNECTION) ?? nextTurn())));
    return line;
  };
  return async (client: Socket): Promise<void> => {
    await turn();
    const read = await headOf(client);
    if (!read) {
      client.destroy();
      return;
    }
    const request = requestOf(read.head);
    const way = await opened(request?.place);
    if (!isWay(way)) {
      client.end(refusalText(way), () => client.destroy());
      return;
    }
    join(client, way, { idleMs, pace });
    if (request?.head === undefined) client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    else way.write(request.head, 'latin1');
    if (read.rest.length > 0) way.write(read.rest);
    await turn();
    client.resume();
  };
}

interface RequestHead {
  readonly head: string;
  /** What came after it. */
  readonly rest: Buffer;
}

/** Undefined where none comes in time. The connection is paused after it. */
function headOf(client: Socket): Promise<RequestHead | undefined> {
  return new Promise((resolve) => {
    let bytes: Buffer = Buffer.alloc(0);
    const finish = (found?: RequestHead) => {
      clearTimeout(timer);
      client.pause();
      client.off('data', read).off('end', give).off('close', give);
      resolve(found);
    };
    const give = () => finish();
    const read = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.subarray(0, MAX_HEAD).indexOf('\r\n\r\n');
      if (end >= 0) finish({ head: bytes.toString('latin1', 0, end), rest: bytes.subarray(end + 4) });
      else if (bytes.length >= MAX_HEAD) finish();
    };
    const timer = setTimeout(give, HEAD_MS).unref();
    client.on('data', read).once('end', give).once('close', give);
  });
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

/** Fields of this connection, not of the request. What frames the body stays, since that is passed on as it is. */
const HOP_BY_HOP = /^(?:host|connection|keep-alive|proxy-authorization|proxy-connection|upgrade):/i;
const REQUEST_LINE = /^([!#$%&'*+.^`|~\w-]{1,40}) (\S+) HTTP\/1\.[01]$/;
const FIELD_LINE = /^[!#$%&'*+.^`|~\w-]+:[^\r\n\0]*$/;

/** Where to, and the head to send there, unless it is a tunnel. Undefined for what is no request to a proxy. */
function requestOf(head: string): { place: HostPort | undefined; head?: string } | undefined {
  const [line = '', ...fields] = head.split('\r\n');
  const [, method, target = ''] = REQUEST_LINE.exec(line) ?? [];
  if (method === 'CONNECT') return { place: placeOf(target) };
  const url = URL.canParse(target) ? new URL(target) : undefined;
  if (url?.protocol !== 'http:' || !fields.every((field) => FIELD_LINE.test(field))) return undefined;
  const lines = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    'Connection: close',
    ...fields.filter((field) => !HOP_BY_HOP.test(field)),
  ];
  return { place: placeOf(`${url.hostname}:${url.port || 80}`), head: `${lines.join('\r\n')}\r\n\r\n` };
}

/** About what it costs to pass bytes on: a server may not use up the event loop with its connections either. */
const MS_PER_CONNECTION = 0.2;
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
