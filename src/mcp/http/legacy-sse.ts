/**
 * The transport of 2024-11-05: one long answer to a GET carries everything the server says, and each message of
 * the client is a POST of its own. Kept for clients that know nothing else, and off unless asked for.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';
import type { Principal } from '../../shared/principal.ts';
import { answerError } from './refusals.ts';

const KEEP_ALIVE_MS = 15_000;
/** A client that does not read is given up before what waits for it fills the memory. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

export interface LegacySseOptions {
  readonly createServer: (principal: Principal) => Server;
  readonly messagePath: string;
  readonly streams: number;
}

export interface LegacySse {
  open(request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void>;
  receive(request: IncomingMessage, response: ServerResponse, principal: Principal, body: unknown): void;
  readonly size: number;
  close(): Promise<void>;
}

export function createLegacySse({ createServer, messagePath, streams }: LegacySseOptions): LegacySse {
  const open = new Map<string, SseTransport>();
  return {
    get size() {
      return open.size;
    },
    async open({ method }, response, principal) {
      if (method !== 'GET') {
        response.setHeader('Allow', 'GET');
        return answerError(response, 405, -32000, 'Open the stream with GET');
      }
      if (open.size >= streams) {
        response.setHeader('Retry-After', '30');
        return answerError(response, 503, -32000, 'Too many streams: try again later');
      }
      const id = randomUUID();
      const transport = new SseTransport(response, `${messagePath}?sessionId=${id}`, principal.id);
      const server = createServer(principal);
      open.set(id, transport);
      response.once('close', () => {
        open.delete(id);
        void server.close().catch(() => {});
      });
      await server.connect(transport);
    },
    receive(request, response, principal, body) {
      if (request.method !== 'POST') {
        response.setHeader('Allow', 'POST');
        return answerError(response, 405, -32000, 'Send messages with POST');
      }
      const id = new URL(request.url ?? '/', 'http://localhost').searchParams.get('sessionId') ?? '';
      const transport = open.get(id);
      if (!transport || transport.owner !== principal.id)
        return answerError(response, 404, -32001, 'Session not found: open /sse again');
      if (!isMessage(body)) return answerError(response, 400, -32600, 'Not a JSON-RPC message');
      response.writeHead(202).end('Accepted');
      transport.onmessage?.(body);
    },
    async close() {
      await Promise.all([...open.values()].map((transport) => transport.close()));
    },
  };
}

class SseTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly owner: string;
  readonly #response: ServerResponse;
  readonly #endpoint: string;
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, endpoint: string, owner: string) {
    this.#response = response;
    this.#endpoint = endpoint;
    this.owner = owner;
  }

  async start(): Promise<void> {
    this.#response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    this.#response.write(`event: endpoint\ndata: ${this.#endpoint}\n\n`);
    this.#keepAlive = setInterval(() => this.#write(': keep-alive\n\n'), KEEP_ALIVE_MS).unref();
    this.#response.once('close', () => this.#ended());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  async close(): Promise<void> {
    this.#response.end();
    this.#ended();
  }

  #write(text: string): void {
    if (this.#response.writableLength > MOST_WAITING_BYTES) this.#response.destroy();
    else if (!this.#response.writableEnded) this.#response.write(text);
  }

  #ended(): void {
    clearInterval(this.#keepAlive);
    this.onclose?.();
    delete this.onclose;
  }
}

function isMessage(body: unknown): body is JSONRPCMessage {
  return typeof body === 'object' && body !== null && (body as { jsonrpc?: unknown }).jsonrpc === '2.0';
}
