/** Servers that end in order: calls in flight are answered, idle connections are closed, and nothing waits for ever. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../shared/errors.ts';
import { memoize } from '../shared/memoize.ts';

const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** How often the time for the headers is checked; Node's default is every 30 s, however short that time is. */
const CHECKS_PER_TIMEOUT = 5;

interface Place {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly headerTimeoutSeconds: number;
  readonly bodyTimeoutSeconds: number;
}

type ListeningServer = Awaited<ReturnType<typeof listen>>;

async function listen(listener: RequestListener, at: Place) {
  const headersMs = at.headerTimeoutSeconds * 1000;
  let isDraining = false;
  let refusedAt: number | undefined;
  const server = createServer(
    {
      headersTimeout: headersMs,
      // For bodies that are not read, such as those of refused requests; `readBody` has a timer of its own.
      requestTimeout: headersMs + at.bodyTimeoutSeconds * 1000,
      connectionsCheckingInterval: headersMs / CHECKS_PER_TIMEOUT,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // A request that states its length in two ways may hide a second one (request smuggling).
      insecureHTTPParser: false,
      requireHostHeader: true,
    },
    (request, response) => {
      if (isDraining) response.setHeader('Connection', 'close');
      if (hasOneHost(request)) return listener(request, response);
      response.writeHead(400, { 'Content-Type': 'application/json', Connection: 'close' });
      response.end(JSON.stringify({ error: 'The request has more than one Host header: send one' }));
    },
  );
  const { closeIdle, hasOpen, latestRequest, takeWaiting } = connectionsOf(server);
  await listening(server, at);
  const { port, address } = server.address() as AddressInfo;
  return {
    port,
    host: address,
    closeIdle,
    /** For how long no request has come since new connections are refused; for ever when none is left. */
    quietMs: () => {
      if (refusedAt === undefined) return 0;
      return hasOpen() ? Date.now() - Math.max(refusedAt, latestRequest()) : Number.POSITIVE_INFINITY;
    },
    /**
     * Takes no more connections, and closes each that is open after its next answer. Resolves when none is left, or
     * after `patienceMs`.
     */
    async drain(patienceMs: number): Promise<void> {
      isDraining = true;
      await takeWaiting();
      refusedAt = Date.now();
      // `close` of an HTTP server closes idle connections at once, on some of which a proxy has just sent a request.
      const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
      const timer = setTimeout(() => server.closeAllConnections(), patienceMs);
      await closed;
      clearTimeout(timer);
      server.close();
    },
  };
}

/** A port that is free now, for a server that has to know its address before it listens. */
const freePort = ({ host }: Pick<Place, 'host'>) => assertCanListen({ host, port: 0 });

/** The port that could be listened on; throws as a start does. */
export async function assertCanListen(at: Pick<Place, 'host' | 'port'>): Promise<number> {
  const probe = createServer();
  await listening(probe, at);
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

/** Of two Host headers, a proxy in front may have used the other one (RFC 9112, section 3.2). */
function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length <= 1;
}

/** As many connections as the system accepts beforehand (the backlog of Node). */
const MOST_WAITING = 511;

/** Node does not count connections that never carried a request among the idle ones. */
function connectionsOf(server: Server) {
  const open = new Set<Socket>();
  const unused = new Set<Socket>();
  let taken = 0;
  let latest = 0;
  server.on('connection', (socket: Socket) => {
    taken++;
    open.add(socket);
    unused.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      unused.delete(socket);
    });
  });
  server.on('request', ({ socket }) => {
    latest = Date.now();
    unused.delete(socket);
  });
  return {
    /**
     * Takes the connections that the system has accepted already, and that would be reset with the requests in them.
     * The event loop takes one in each turn.
     */
    takeWaiting: async () => {
      for (let turn = 0, before = -1; before < taken && turn < MOST_WAITING; turn++) {
        before = taken;
        // The first may come before the end of this turn.
        for (let count = 0; count < 2; count++) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    closeIdle: () => {
      server.closeIdleConnections();
      for (const socket of unused) socket.destroy();
    },
    hasOpen: () => open.size > 0,
    latestRequest: () => latest,
  };
}

function cannotListen(cause: NodeJS.ErrnoException, { host, port }: Pick<Place, 'host' | 'port'>): AppError {
  const hints: Record<string, string> = {
    EADDRINUSE:
      'Another program listens there, perhaps another Quire. End it, or choose another port: --port (quire vault: --listen-addr), or serve.port in the file.',
    EACCES:
      'This port needs more rights. Choose one above 1023: --port (quire vault: --listen-addr), or serve.port in the file.',
    EADDRNOTAVAIL: 'This machine has no such address.',
  };
  return new AppError('invalid_input', 'Cannot listen', {
    subject: `${host}:${port} (${cause.code ?? cause.message})`,
    hint: hints[cause.code ?? ''] ?? 'Choose another address or port.',
    cause,
  });
}

/** The origin of a server for clients on this machine. */
function localOrigin({ host, port }: Pick<Place, 'host' | 'port'>): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

export type WorkCounter = ReturnType<typeof countWork>;

/** Counts the calls that are being answered. */
export function countWork() {
  let inFlight = 0;
  return {
    get inFlight() {
      return inFlight;
    },
    /** The function it returns is to be called when the call is over. */
    begin(): () => void {
      inFlight++;
      return memoize(() => {
        inFlight--;
      });
    },
  };
}

/** Everything behind a listening socket. */
export interface OpenApp {
  readonly listener: RequestListener;
  readonly work: WorkCounter;
  /** Closed when the calls in flight have been answered. */
  readonly endpoints: readonly { close(): Promise<void> }[];
  /** Closes the rest, after the endpoints. */
  close(): Promise<void>;
}

export interface RunningServer {
  readonly origin: string;
  readonly host: string;
  readonly port: number;
  /** Answers the calls in flight, then ends. */
  close(): Promise<void>;
}

const DRAIN_MS = 10_000;
/**
 * For how long no request may have come before the connections that are still open are closed, and the most that this
 * is waited for. Each that is in use is closed by an answer until then, so that hardly any request meets the end of its
 * connection: a proxy may not send a POST again.
 */
const QUIET_MS = 500;
const LINGER_MS = 3_000;
/** How often a port that was free a moment ago may turn out to be taken. */
const PORT_TRIES = 3;

/**
 * Opens the app, and only then listens: no client waits for a start that fails. Tokens and pages name the server's
 * origin, so a free port is chosen before the app is opened.
 */
export async function startServer(
  at: Place & { readonly publicUrl?: string | undefined },
  open: (origin: string) => Promise<OpenApp>,
): Promise<RunningServer> {
  for (let tries = 1; ; tries++) {
    const place = at.port === 0 ? { ...at, port: await freePort(at) } : at;
    const origin = originOf(place);
    const app = await open(origin);
    let isEnding = false;
    try {
      const listening = await listen((request, response) => {
        if (isEnding) response.writeHead(503, { Connection: 'close', 'Retry-After': '1' }).end();
        else app.listener(request, response);
      }, place);
      const close = async () => {
        await endServing(listening, app, () => {
          isEnding = true;
        });
        await app.close();
      };
      return { origin, host: listening.host, port: listening.port, close };
    } catch (error) {
      await closeUnused(app);
      if (at.port !== 0 || tries === PORT_TRIES) throw error;
    }
  }
}

/** What `startServer` does before it listens, and all of it closed again. */
export async function rehearseServer(
  at: Place & { readonly publicUrl?: string | undefined },
  open: (origin: string) => Promise<OpenApp>,
): Promise<void> {
  await closeUnused(await open(originOf(at)));
  await assertCanListen(at);
}

/** The address of a server that is to listen there. */
export function originOf(at: Pick<Place, 'host' | 'port'> & { readonly publicUrl?: string | undefined }) {
  return at.publicUrl ?? localOrigin(at);
}

/** The reason why the server cannot listen matters more than a failure to close. */
async function closeUnused({ endpoints, close }: OpenApp): Promise<void> {
  await Promise.all(endpoints.map((endpoint) => endpoint.close())).catch(() => {});
  await close().catch(() => {});
}

/** Calls in flight are answered, streams that only wait are closed, and then everything else. */
async function endServing(
  listening: ListeningServer,
  { work, endpoints }: OpenApp,
  onEnding: () => void,
): Promise<void> {
  const drained = listening.drain(DRAIN_MS);
  const begun = Date.now();
  const isLingering = () => listening.quietMs() < QUIET_MS && Date.now() - begun < LINGER_MS;
  while (isLingering() || (work.inFlight > 0 && Date.now() - begun < DRAIN_MS)) await sleep(20);
  onEnding();
  listening.closeIdle();
  await Promise.all(endpoints.map((endpoint) => endpoint.close()));
  listening.closeIdle();
  await drained;
}
