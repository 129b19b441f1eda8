/**
 * The transport of 2024-11-05: one long answer to a GET carries everything the server says, and each message of
 * the client is a POST of its own. Kept for clients that know nothing else, and off unless asked for.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';
import { once } from '../../shared/once.ts';
import type { Principal } from '../../shared/principal.ts';
import { type Refuse, refuseInJsonRpc } from './refusals.ts';
import type { SessionWatch } from './sessions.ts';

const KEEP_ALIVE_MS = 15_000;
/** A client that does not read is given up before what waits for it fills the memory. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

export interface LegacySseOptions<Caller extends Principal = Principal> {
  readonly createServer: (caller: Caller, id: string) => Server;
  readonly messagePath: string;
  readonly streams: number;
  readonly watch?: SessionWatch<Caller>;
  readonly refuse?: Refuse;
}

export interface LegacySse<Caller extends Principal = Principal> {
  open(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void>;
  receive(request: IncomingMessage, response: ServerResponse, caller: Caller, body: unknown): void;
  readonly size: number;
  close(): Promise<void>;
}

export function createLegacySse<Caller extends Principal = Principal>(
  options: LegacySseOptions<Caller>,
): LegacySse<Caller> {
  const { createServer, messagePath, streams, watch, refuse = refuseInJsonRpc } = options;
  const open = new Map<string, { readonly transport: SseTransport; readonly end: () => void }>();
  return {
    get size() {
      return open.size;
    },
    async open({ method }, response, caller) {
      if (method !== 'GET') return refuse(response, 'only_get');
      if (open.size >= streams) return refuse(response, 'too_many');
      // Whoever left while others looked at the request will not close its response again.
      if (response.destroyed) return;
      const id = randomUUID();
      const transport = new SseTransport(response, `${messagePath}?sessionId=${id}`, caller.id);
      const server = createServer(caller, id);
      const end = once(() => {
        open.delete(id);
        watch?.closed(id, caller);
        void server.close().catch(() => {});
      });
      open.set(id, { transport, end });
      watch?.opened(id, caller);
      response.once('close', end);
      await server.connect(transport);
    },
    receive(request, response, caller, body) {
      if (request.method !== 'POST') return refuse(response, 'only_post');
      const transport = open.get(sessionIdOf(request) ?? '')?.transport;
      if (transport?.owner !== caller.id) return refuse(response, 'unknown_session');
      if (!isMessage(body)) return refuse(response, 'not_a_message');
      response.writeHead(202).end('Accepted');
      transport.onmessage?.(body);
    },
    async close() {
      for (const { transport, end } of [...open.values()]) {
        await transport.close();
        end();
      }
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

/** Which session a message is for, as its address says. */
export function sessionIdOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string | undefined {
  return new URLSearchParams(url.split('?')[1] ?? '').get('sessionId') ?? undefined;
}

function isMessage(body: unknown): body is JSONRPCMessage {
  return typeof body === 'object' && body !== null && (body as { jsonrpc?: unknown }).jsonrpc === '2.0';
}
