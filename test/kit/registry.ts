/** A registry of MCP servers on this machine, in the registry's wire form. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Registry {
  readonly address: string;
  /** Paths with their queries, as they were asked for. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

type Answer = (request: IncomingMessage, url: URL, response: ServerResponse) => unknown;

/** Sends the result of `answer` as JSON, and a string as it is. */
export async function startRegistry(answer: Answer): Promise<Registry> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const body = answer(request, new URL(request.url ?? '/', 'http://localhost'), response);
    if (body !== undefined) response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}/v0.1/servers`, asked, close };
}

export function listed(name: string, more: object = {}, meta: object = {}): object {
  return {
    server: { name, description: `About ${name}`, version: '1.2.3', ...more },
    _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true, ...meta } },
  };
}

export function list(servers: readonly unknown[], metadata: object = {}): object {
  return { servers, metadata: { count: servers.length, ...metadata } };
}

export const npm = (identifier: string, version = '1.2.3', more: object = {}) => ({
  packages: [{ registryType: 'npm', identifier, version, transport: { type: 'stdio' }, ...more }],
});
