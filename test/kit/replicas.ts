/** Several servers of the built binary over one state, behind a plain round-robin proxy on loopback. */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { freePort, type HttpServer, startHttp } from './http.ts';

/** Sends each request to the next server in turn, and on to the one after when nobody listens there. */
export interface RoundRobinProxy {
  readonly origin: string;
  /** The addresses that take turns; may be changed at any time. */
  targets: readonly string[];
  /** How many requests each target was sent, by its address. */
  readonly sent: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Headers of one connection (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'];

export async function startProxy(targets: readonly string[] = []): Promise<RoundRobinProxy> {
  const agent = new Agent({ keepAlive: true });
  const sent = new Map<string, number>();
  let turn = 0;
  const server = createServer((incoming, answer) => {
    const order = proxy.targets.map((_, at) => proxy.targets[(turn + at) % proxy.targets.length] ?? '');
    turn++;
    forward(incoming, answer, order, { agent, sent });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: RoundRobinProxy = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    sent,
    async close() {
      agent.destroy();
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
  onTestFinished(() => proxy.close());
  return proxy;
}

function forward(
  incoming: IncomingMessage,
  answer: ServerResponse,
  [target, ...others]: readonly string[],
  parts: { readonly agent: Agent; readonly sent: Map<string, number> },
): void {
  if (target === undefined) {
    answer.writeHead(502, { 'Content-Type': 'text/plain' }).end('No server answers.');
    return;
  }
  const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress ?? '' };
  for (const name of HOP_BY_HOP) delete (headers as Record<string, unknown>)[name];
  const { method, url } = incoming;
  const outgoing = request(new URL(url ?? '/', target), { method, headers, agent: parts.agent });
  let isConnected = false;
  outgoing.once('socket', (socket) => {
    const connected = () => {
      isConnected = true;
      parts.sent.set(target, (parts.sent.get(target) ?? 0) + 1);
      incoming.pipe(outgoing);
    };
    if (socket.connecting) socket.once('connect', connected);
    else connected();
  });
  outgoing.once('response', (response) => {
    answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
    answer.flushHeaders();
    response.pipe(answer);
    response.once('error', () => answer.destroy());
  });
  outgoing.once('error', () => {
    // What a server may have begun to do is not sent to another one.
    if (!isConnected) forward(incoming, answer, others, parts);
    else if (answer.headersSent) answer.destroy();
    else answer.writeHead(502, { 'Content-Type': 'text/plain' }).end('The server went away.');
  });
  answer.once('close', () => outgoing.destroy());
}

export interface Replica extends HttpServer {
  /** The address of this server alone, past the proxy. */
  readonly address: string;
}

export interface Replicas {
  /** The address of the proxy, which is the public one of all of them. */
  readonly origin: string;
  readonly proxy: RoundRobinProxy;
  readonly servers: readonly Replica[];
  /** One more, which takes turns with the others as soon as it listens. */
  add(): Promise<Replica>;
}

interface ReplicaOptions {
  /** Address of the database they share. */
  readonly database: string;
  /** After `quire serve`: folders and flags. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The program that was built last, `count` times. They are started one after another: two processors are shared. */
export async function startReplicas(count: number, options: ReplicaOptions): Promise<Replicas> {
  const proxy = await startProxy();
  const servers: Replica[] = [];
  const add = async () => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const place = ['--port', `${port}`, '--public-url', proxy.origin, '--trusted-proxies', '127.0.0.1'];
    const server = await startHttp(['serve', ...options.args, ...place], {
      QUIRE_STATE: options.database,
      ...options.env,
    });
    const replica = { ...server, address };
    servers.push(replica);
    proxy.targets = [...proxy.targets, address];
    return replica;
  };
  for (let at = 0; at < count; at++) await add();
  return { origin: proxy.origin, proxy, servers, add };
}
