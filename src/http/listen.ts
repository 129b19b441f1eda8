/** A listening server that ends well: what was asked is answered, what is idle is closed, and nothing waits for ever. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../shared/errors.ts';
import { memoize } from '../shared/memoize.ts';

export interface ListeningServer {
  readonly port: number;
  readonly host: string;
  /** Ends connections that wait for nothing. */
  closeIdle(): void;
  /** Takes no more connections; resolves when the last answer is out, or patience is over. */
  drain(patienceMs: number): Promise<void>;
}

const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** How often in the time for its headers a connection is looked at; Node does it every 30 s, however short that time is. */
const CHECKS_PER_TIMEOUT = 5;

interface Place {
  readonly host: string;
  readonly port: number;
  readonly headerTimeoutSeconds: number;
  readonly bodyTimeoutSeconds: number;
}

export async function listen(listener: RequestListener, at: Place): Promise<ListeningServer> {
  const headersMs = at.headerTimeoutSeconds * 1000;
  const server = createServer(
    {
      headersTimeout: headersMs,
      // For bodies nobody reads, such as those of requests that were refused; who reads one has a timer of their own.
      requestTimeout: headersMs + at.bodyTimeoutSeconds * 1000,
      connectionsCheckingInterval: headersMs / CHECKS_PER_TIMEOUT,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // A request whose length is told in two ways is somebody's attempt to hide a second one.
      insecureHTTPParser: false,
      requireHostHeader: true,
    },
    (request, response) => {
      if (hasOneHost(request)) listener(request, response);
      else refuseHosts(response);
    },
  );
  const closeIdle = idleCloser(server);
  await listening(server, at);
  const { port, address } = server.address() as AddressInfo;
  return {
    port,
    host: address,
    closeIdle,
    drain: (patienceMs) => drain(server, closeIdle, patienceMs),
  };
}

/** A port that nobody listens on now, for a server that has to know its address before it listens. */
export async function freePort(at: Pick<Place, 'host'>): Promise<number> {
  const probe = createServer();
  await listening(probe, { ...at, port: 0 });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function listening(server: Server, at: Pick<Place, 'host' | 'port'>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(cannotListen(cause, at)));
    server.listen(at.port, at.host, resolve);
  });
}

/** Of two Hosts, a proxy in front may have believed the other one (RFC 9112, section 3.2). */
function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  return hosts <= 1;
}

function refuseHosts(response: ServerResponse): void {
  response.writeHead(400, { 'Content-Type': 'application/json', Connection: 'close' });
  response.end(JSON.stringify({ error: 'The request has more than one Host header: send one' }));
}

/** Also those that never carried a request, which Node does not count among the idle ones. */
function idleCloser(server: Server): () => void {
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  return () => {
    server.closeIdleConnections();
    for (const socket of unused) socket.destroy();
  };
}

async function drain(server: Server, closeIdle: () => void, patienceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  closeIdle();
  const timer = setTimeout(() => server.closeAllConnections(), patienceMs);
  await closed;
  clearTimeout(timer);
}

function cannotListen(cause: NodeJS.ErrnoException, { host, port }: Pick<Place, 'host' | 'port'>): AppError {
  const hints: Record<string, string> = {
    EADDRINUSE: 'Another program listens there. Choose another port.',
    EACCES: 'This port needs more rights. Choose one above 1023.',
    EADDRNOTAVAIL: 'This machine has no such address.',
  };
  return new AppError('invalid_input', 'Cannot listen', {
    subject: `${host}:${port} (${cause.code ?? cause.message})`,
    hint: hints[cause.code ?? ''] ?? 'Choose another address or port.',
    cause,
  });
}

/** The address of a server for somebody on this machine. */
export function localOrigin(
  { host }: { readonly host: string },
  { port }: Pick<ListeningServer, 'port'>,
): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** How serving ends: calls that run get their answer; streams that only wait are closed; then everything else. */

const DRAIN_MS = 10_000;

/** Calls that are being answered. */
export interface WorkCounter {
  readonly inFlight: number;
  /** Told when something to be answered begins; the function it returns is called when it is over. */
  begin(): () => void;
}

export function countWork(): WorkCounter {
  let inFlight = 0;
  return {
    get inFlight() {
      return inFlight;
    },
    begin() {
      inFlight++;
      return memoize(() => {
        inFlight--;
      });
    },
  };
}

export async function endServing(
  listening: ListeningServer,
  work: WorkCounter,
  endpoints: readonly { close(): Promise<void> }[],
): Promise<void> {
  const drained = listening.drain(DRAIN_MS);
  const latest = Date.now() + DRAIN_MS;
  while (work.inFlight > 0 && Date.now() < latest) await sleep(20);
  await Promise.all(endpoints.map((endpoint) => endpoint.close()));
  listening.closeIdle();
  await drained;
}
