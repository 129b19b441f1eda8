/**
 * The HTTP+SSE transport of 2024-11-05: one long answer to a GET carries all messages of the server, and each message of
 * the client is a POST of its own. For clients that know nothing else.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JSONRPCMessage, Server, Transport } from '@modelcontextprotocol/server';
import { memoize } from '../../shared/memoize.ts';
import { ownerOf, type Principal } from '../../shared/principal.ts';
import { authInfoOf, repeatedId } from '../request.ts';
import { type Place, placeToFree } from './fair-share.ts';
import {
  type McpExchange,
  type Refusal,
  type Refuse,
  refuseInJsonRpc,
  refuseUnavailable,
} from './refusals.ts';
import type { SharedStreams } from './replicas/shared-streams.ts';
import type { SessionWatch } from './sessions.ts';

const KEEP_ALIVE_MS = 15_000;
/** A client that does not read is disconnected before its messages fill the memory. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

interface LegacySseOptions<Caller extends Principal = Principal> {
  readonly createServer: (caller: Caller, id: string) => Server;
  readonly messagePath: string;
  readonly streams: number;
  readonly watch?: SessionWatch<Caller>;
  readonly refuse?: Refuse;
  /** Called when a request begins; the function it returns is called when the request is over. */
  readonly onWorking?: () => () => void;
  /** Streams that other servers have open, too. */
  readonly shared?: SharedStreams;
}

export type LegacySse<Caller extends Principal = Principal> = ReturnType<typeof createLegacySse<Caller>>;

export function createLegacySse<Caller extends Principal = Principal>(options: LegacySseOptions<Caller>) {
  const { createServer, messagePath, streams, watch, refuse = refuseInJsonRpc, onWorking, shared } = options;
  const open = new Map<string, OpenStream>();
  const makeRoomFor = async (newcomer: Caller): Promise<boolean> => {
    if (open.size < streams) return true;
    const oneToEnd = placeToFree(open.values(), ownerOf(newcomer));
    if (!oneToEnd) return false;
    await oneToEnd.transport.close();
    oneToEnd.end();
    return true;
  };
  return {
    get size() {
      return open.size;
    },
    async open({ request, response, caller }: Omit<McpExchange<Caller>, 'body'>): Promise<void> {
      if (request.method !== 'GET') return refuse(response, 'only_get');
      const id = randomUUID();
      try {
        const hasRoom = shared ? shared.open(id, ownerOf(caller), streams) : makeRoomFor(caller);
        if (!(await hasRoom)) return refuse(response, 'too_many');
      } catch (error) {
        return refuseUnavailable(response, error);
      }
      // The response of a client that has left already emits no other close event.
      if (response.destroyed) return shared?.ended(id);
      const transport = new SseTransport(response, {
        endpoint: `${messagePath}?sessionId=${id}`,
        owner: ownerOf(caller),
        onWorking,
      });
      const server = createServer(caller, id);
      const end = memoize(() => {
        open.delete(id);
        shared?.ended(id);
        watch?.closed(id, caller);
        void server.close().catch(() => {});
      });
      open.set(id, { transport, end, owner: ownerOf(caller), isBusy: true, usedAt: Date.now() });
      watch?.opened(id, caller);
      response.once('close', end);
      shared?.serve(id, {
        receive: (message, sender) => transport.receive(message, sender, () => {}),
        end: () => void transport.close().then(end),
      });
      await server.connect(transport);
    },
    /** `onOver` is called when the message has been answered, or will not be. */
    receive(
      { request, response, caller, body }: McpExchange<Caller>,
      onOver = () => {},
    ): void | Promise<void> {
      const refuseIt = (refusal: Refusal) => {
        onOver();
        refuse(response, refusal);
      };
      if (request.method !== 'POST') return refuseIt('only_post');
      const id = sessionIdOf(request) ?? '';
      const transport = open.get(id)?.transport;
      if (!transport && shared && isMessage(body))
        return shared.send(id, body, caller).then(
          (isSent) => {
            if (!isSent) return refuseIt('unknown_session');
            onOver();
            response.writeHead(202).end('Accepted');
          },
          (error: unknown) => {
            onOver();
            refuseUnavailable(response, error);
          },
        );
      if (transport?.owner !== ownerOf(caller)) return refuseIt('unknown_session');
      if (!isMessage(body)) return refuseIt('not_a_message');
      response.writeHead(202).end('Accepted');
      transport.receive(body, caller, onOver);
    },
    async close(): Promise<void> {
      for (const { transport, end } of [...open.values()]) {
        await transport.close();
        end();
      }
      shared?.close();
    },
  };
}

interface OpenStream extends Place {
  readonly transport: SseTransport;
  readonly end: () => void;
}

interface StreamFacts {
  readonly endpoint: string;
  readonly owner: string;
  readonly onWorking?: () => () => void;
}

class SseTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly owner: string;
  readonly #response: ServerResponse;
  readonly #about: StreamFacts;
  /** Requests that have no answer yet, each with the function to call when it is over. */
  readonly #running = new Map<unknown, () => void>();
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, about: StreamFacts) {
    this.#response = response;
    this.#about = about;
    this.owner = about.owner;
  }

  async start(): Promise<void> {
    this.#response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    this.#response.write(`event: endpoint\ndata: ${this.#about.endpoint}\n\n`);
    this.#keepAlive = setInterval(() => this.#write(': keep-alive\n\n'), KEEP_ALIVE_MS).unref();
    this.#response.once('close', () => this.#ended());
  }

  receive(message: JSONRPCMessage, caller: Principal, onOver: () => void): void {
    const { onWorking } = this.#about;
    if ('method' in message && 'id' in message) {
      if (this.#running.has(message.id)) {
        this.#post({ jsonrpc: '2.0', id: message.id, error: repeatedId(message.id) });
        onOver();
        return;
      }
      const done = onWorking?.();
      this.#running.set(message.id, () => {
        done?.();
        onOver();
      });
    } else onOver();
    // A cancelled request gets no answer.
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#over((message.params as { requestId?: unknown } | undefined)?.requestId);
    this.onmessage?.(message, { authInfo: authInfoOf(caller) });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#post(message);
    if (!('method' in message)) this.#over(message.id);
  }

  #post(message: JSONRPCMessage): void {
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

  #over(id: unknown): void {
    this.#running.get(id)?.();
    this.#running.delete(id);
  }

  #ended(): void {
    clearInterval(this.#keepAlive);
    for (const id of [...this.#running.keys()]) this.#over(id);
    this.onclose?.();
    delete this.onclose;
  }
}

/** The session that the address of a message names. */
export function sessionIdOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string | undefined {
  return new URLSearchParams(url.split('?')[1] ?? '').get('sessionId') ?? undefined;
}

function isMessage(body: unknown): body is JSONRPCMessage {
  return typeof body === 'object' && body !== null && (body as { jsonrpc?: unknown }).jsonrpc === '2.0';
}
