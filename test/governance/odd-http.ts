/** A Streamable HTTP server of 2025-11-25 that does what a test tells it to, and remembers every request. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body:
    | { id?: number; method?: string; params?: Record<string, unknown>; result?: unknown }
    | undefined;
}

export interface OddHttp {
  readonly url: string;
  readonly origin: string;
  readonly seen: ReceivedRequest[];
  /** The methods of the messages that were posted, in order. */
  posted(): (string | undefined)[];
  /** The GET streams that are open. */
  readonly streams: ServerResponse[];
  /** The session that is known; what names another gets 404. */
  session: string;
}

export interface OddHttpOptions {
  /** Answers a request instead of the server; false when it does not want to. */
  readonly intercept?: (seen: ReceivedRequest, response: ServerResponse, server: OddHttp) => boolean;
}

export async function startOddHttp({ intercept }: OddHttpOptions = {}): Promise<OddHttp> {
  const http = createServer(async (request, response) => {
    const seen = { ...(await readRequest(request)), path: request.url ?? '' };
    server.seen.push(seen);
    if (!intercept?.(seen, response, server)) answer(seen, response, server);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server: OddHttp = {
    url: `${origin}/mcp`,
    origin,
    seen: [],
    posted: () => server.seen.filter(({ method }) => method === 'POST').map(({ body }) => body?.method),
    streams: [],
    session: 'first',
  };
  return server;
}

async function readRequest(request: IncomingMessage): Promise<Omit<ReceivedRequest, 'path'>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    method: request.method ?? '',
    headers: request.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

function answer({ method, headers, body }: ReceivedRequest, response: ServerResponse, server: OddHttp): void {
  const isHello = body?.method === 'initialize';
  if (body?.method === 'server/discover') json(response, 400, errorOf(body.id, -32601, 'Method not found'));
  else if (!isHello && headers['mcp-session-id'] !== server.session)
    json(response, 404, errorOf(undefined, -32001, 'Session not found'));
  else if (method === 'DELETE') response.writeHead(204).end();
  else if (method === 'GET') {
    openEvents(response);
    server.streams.push(response);
  } else if (body?.id === undefined || body.method === undefined) response.writeHead(202).end();
  else {
    if (isHello) response.setHeader('mcp-session-id', server.session);
    json(response, 200, { jsonrpc: '2.0', id: body.id, result: resultOf(body.method, body.params) });
  }
}

function resultOf(method: string, params: Record<string, unknown> | undefined): unknown {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
      serverInfo: { name: 'odd-http', version: '1' },
    };
  if (method === 'tools/list') return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
  if (method === 'tools/call')
    return { content: [{ type: 'text', text: JSON.stringify(params?.arguments ?? null) }] };
  return {};
}

export function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

export function openEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
}

/** One event; without a message it only says where we are. */
export function event(id: string, message?: unknown): string {
  return `id: ${id}\nretry: 50\ndata: ${message === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
}

function errorOf(id: unknown, code: number, message: string): unknown {
  return { jsonrpc: '2.0', id: id ?? null, error: { code, message } };
}
