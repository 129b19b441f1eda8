/** A plain round-robin proxy on loopback. */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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

export async function startRoundRobin(targets: readonly string[] = []): Promise<RoundRobinProxy> {
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
