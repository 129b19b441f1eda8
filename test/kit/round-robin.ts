/** A plain proxy: each request goes to the next of several servers, and a stream breaks when its server does. */
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RoundRobin {
  readonly origin: string;
  /** Which server gets the next request: its place in the list. */
  next: number;
  /** Sends no more requests to this one. */
  leaveOut(origin: string): void;
  add(origin: string): void;
}

export async function roundRobin(origins: readonly string[]): Promise<RoundRobin> {
  const targets = [...origins];
  const proxy: { next: number } = { next: 0 };
  const server = createServer((incoming, answer) => {
    const target = new URL(targets[proxy.next++ % targets.length] ?? '');
    const outgoing = httpRequest(
      {
        host: target.hostname,
        port: target.port,
        method: incoming.method,
        path: incoming.url,
        headers: incoming.headers,
        agent: false,
      },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        answer.flushHeaders();
        response.pipe(answer);
        response.on('error', () => answer.destroy());
        response.on('close', () => {
          if (!response.complete) answer.destroy();
        });
      },
    );
    outgoing.on('error', () => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end();
    });
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(proxy, {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leaveOut: (origin: string) => void targets.splice(targets.indexOf(origin), 1),
    add: (origin: string) => void targets.push(origin),
  });
}
