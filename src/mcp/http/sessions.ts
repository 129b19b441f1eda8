/**
 * Sessions of clients of 2025-11-25 and older. A session belongs to the caller who opened it: for any other caller it
 * does not exist. Their number is bounded, and an idle one ends.
 */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { JSONRPCMessage, RequestId, Server } from '@modelcontextprotocol/server';
import type { Log } from '../../shared/log.ts';
import type { Principal } from '../../shared/principal.ts';
import { authInfoOf, RunningRequests, repeatedId } from '../request.ts';
import { beginWithPrimer, type EventLog, EventLogs } from './event-log.ts';
import { placeToFree } from './fair-share.ts';
import type { StreamLimits } from './notification-stream.ts';
import {
  answerError,
  BATCH_VERSION,
  type McpExchange,
  MOST_IN_BATCH,
  type Refusal,
  type Refuse,
  refuseInJsonRpc,
} from './refusals.ts';
import {
  answeredInSession,
  isInitialized,
  openStrictSession,
  type StrictSession,
  strictSessionId,
} from './strict.ts';

export interface SessionLimits {
  readonly sessions: number;
  readonly idleMs: number;
  /** Of the events that clients may ask for again, in all sessions together. */
  readonly bufferedBytes: number;
}

/** Called once when a session begins, and once when it is over. */
export interface SessionWatch<Caller> {
  opened(id: string, caller: Caller): void;
  closed(id: string, caller: Caller): void;
  /** A session that another server has begun is used here, until it is left. */
  joined?(id: string, caller: Caller): void;
  left?(id: string, caller: Caller): void;
}

export interface SessionOptions<Caller extends Principal = Principal> {
  readonly createServer: (caller: Caller, id: string) => Server;
  readonly limits: SessionLimits;
  readonly log: Log;
  readonly watch?: SessionWatch<Caller>;
  /** Answers where a session is missing, or one too many. */
  readonly refuse?: Refuse;
  /** Speaks 2025-11-25 alone, to the letter, with these limits for notification streams. */
  readonly strict?: StreamLimits;
}

interface Session<Caller> {
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly server: Server;
  readonly caller: Caller;
  readonly events: EventLog;
  readonly running: RunningRequests;
  readonly strict?: StrictSession;
  /** Whether the protocol version has batches. */
  readonly hasBatches: boolean;
  /** How many requests and streams are open. */
  open: number;
  usedAt: number;
}

export const SWEEPS_PER_IDLE_TIME = 4;
export const RETRY_MS = 1_000;

/** Serves the sessions of one endpoint. */
export interface SessionHost<Caller extends Principal = Principal> {
  readonly size: number;
  handle(exchange: McpExchange<Caller>): Promise<void>;
  close(): Promise<void>;
}

/** Sessions that are kept in the memory of this process. */
export class Sessions<Caller extends Principal = Principal> implements SessionHost<Caller> {
  readonly #options: SessionOptions<Caller>;
  readonly #refuse: Refuse;
  readonly #sessions = new Map<string, Session<Caller>>();
  /** Sessions that are not initialized yet. */
  readonly #beginning = new Set<Session<Caller>>();
  readonly #sweeper: NodeJS.Timeout;
  readonly #logs: EventLogs;

  constructor(options: SessionOptions<Caller>) {
    this.#options = options;
    this.#refuse = options.refuse ?? refuseInJsonRpc;
    this.#logs = new EventLogs(options.limits.bufferedBytes);
    this.#sweeper = setInterval(() => this.#sweep(), options.limits.idleMs / SWEEPS_PER_IDLE_TIME).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  async handle(exchange: McpExchange<Caller>): Promise<void> {
    const { request, response, caller, body } = exchange;
    const id = request.headers['mcp-session-id'];
    if (id === undefined) {
      if (Array.isArray(body)) return this.#refuse(response, 'no_batches');
      if (request.method === 'POST' && isInitialize(body)) return this.#begin(exchange);
      return this.#refuse(response, 'no_session');
    }
    const session = this.#sessions.get(String(id));
    if (session?.caller.id !== caller.id) return this.#refuse(response, 'unknown_session');
    if (session.strict && request.method === 'DELETE') {
      this.#end(String(id));
      response.writeHead(204).end();
      return;
    }
    const problem = batchProblem(session, body);
    if (problem) return this.#refuse(response, problem);
    await this.#use(session, exchange);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    const all = [...this.#sessions];
    this.#sessions.clear();
    for (const [, { strict }] of all) strict?.stream?.close();
    await Promise.all(all.map(([, { server }]) => server.close().catch(() => {})));
    for (const [id, { caller }] of all) this.#options.watch?.closed(id, caller);
  }

  async #begin(exchange: McpExchange<Caller>): Promise<void> {
    const { response, caller, body } = exchange;
    const { limits, createServer, watch, strict: streamLimits } = this.#options;
    // To load it takes a tenth of a server's start, and clients of 2026 need none.
    const { NodeStreamableHTTPServerTransport: Transport } = await import('@modelcontextprotocol/node');
    const isFull = this.#sessions.size + this.#beginning.size >= limits.sessions;
    if (isFull && !this.#makeRoomFor(caller)) return this.#refuse(response, 'too_many');
    const id = streamLimits ? strictSessionId() : randomUUID();
    const server = createServer(caller, id);
    const events = this.#logs.open({ named: streamLimits !== undefined, owner: caller.id });
    const transport: NodeStreamableHTTPServerTransport = new Transport({
      sessionIdGenerator: () => id,
      eventStore: events,
      retryInterval: streamLimits?.retryMs ?? RETRY_MS,
      onsessioninitialized: () => {
        this.#beginning.delete(session);
        this.#sessions.set(id, session);
        watch?.opened(id, caller);
      },
      onsessionclosed: () => this.#end(id),
    });
    const running = runningOn(transport);
    const strict = streamLimits && openStrictSession(transport, id, streamLimits);
    const session: Session<Caller> = {
      transport,
      server,
      caller,
      events,
      running,
      strict: strict?.strict,
      hasBatches: requestedVersion(body) === BATCH_VERSION,
      open: 0,
      usedAt: Date.now(),
    };
    this.#beginning.add(session);
    try {
      await server.connect(strict?.transport ?? transport);
      await this.#use(session, exchange);
    } finally {
      this.#beginning.delete(session);
    }
    if (!this.#sessions.has(id)) await server.close().catch(() => {});
  }

  async #use(session: Session<Caller>, exchange: McpExchange<Caller>): Promise<void> {
    const { request, response, caller, body } = exchange;
    // The response of a client that has left already emits no other close event.
    if (response.destroyed) return;
    session.open++;
    session.usedAt = Date.now();
    response.once('close', () => {
      session.open--;
      session.usedAt = Date.now();
    });
    const { strict } = session;
    if (strict) {
      if (answeredInSession(strict, exchange)) return;
      strict.isReady ||= isInitialized(body);
    } else beginWithPrimer(request, response, session.events, RETRY_MS);
    if (request.method === 'POST' && !this.#admitted(session, response, body)) return;
    const authorized = Object.assign(request, { auth: authInfoOf(caller) });
    await session.transport.handleRequest(authorized, response, body);
  }

  /** Whether the requests of a body have ids of their own; answers if not. */
  #admitted({ running }: Session<Caller>, response: ServerResponse, body: unknown): boolean {
    const begun: RequestId[] = [];
    for (const message of messagesIn(body)) {
      running.hear(message);
      if (!('method' in message) || !('id' in message)) continue;
      if (running.begin(message.id)) begun.push(message.id);
      else {
        for (const id of begun) running.end(id);
        const { code, message: text } = repeatedId(message.id);
        answerError(response, 400, code, text, { id: message.id });
        return false;
      }
    }
    return true;
  }

  #sweep(): void {
    const oldest = Date.now() - this.#options.limits.idleMs;
    for (const [id, { open, usedAt }] of this.#sessions) if (open === 0 && usedAt < oldest) this.#end(id);
  }

  /** False when the caller has its fair share of sessions, and all of them are in use. */
  #makeRoomFor({ id: newcomer }: Caller): boolean {
    const places = [...this.#sessions].map(([id, { caller, open, usedAt }]) => ({
      id,
      owner: caller.id,
      isBusy: open > 0,
      usedAt,
    }));
    const place = placeToFree(places, newcomer);
    if (place) this.#end(place.id);
    return place !== undefined;
  }

  #end(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    session.events.clear();
    session.strict?.stream?.close();
    this.#options.watch?.closed(id, session.caller);
    session.server
      .close()
      .catch((error: unknown) => this.#options.log('debug', 'session not closed', { error: String(error) }));
  }
}

/** Tracks the requests that a transport has not answered yet. */
function runningOn(transport: NodeStreamableHTTPServerTransport): RunningRequests {
  const running = new RunningRequests();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!('method' in message)) running.end(message.id);
    return send(message, options);
  };
  return running;
}

/** The transport refuses everything else. */
export function messagesIn(body: unknown): JSONRPCMessage[] {
  const isMessage = (one: unknown): one is JSONRPCMessage =>
    typeof one === 'object' && one !== null && (!('id' in one) || /^(?:string|number)$/.test(typeof one.id));
  return (Array.isArray(body) ? body : [body]).filter(isMessage);
}

/** A batch cannot begin a session, not even in the version that has batches. */
export function isInitialize(body: unknown): boolean {
  return (body as { method?: unknown } | null | undefined)?.method === 'initialize';
}

/** Also the negotiated version, if the server supports it. */
export function requestedVersion(body: unknown): unknown {
  return (body as { params?: { protocolVersion?: unknown } }).params?.protocolVersion;
}

export function batchProblem({ hasBatches }: { hasBatches: boolean }, body: unknown): Refusal | undefined {
  if (!Array.isArray(body)) return undefined;
  if (!hasBatches) return 'no_batches';
  if (body.length === 0) return 'not_a_message';
  return body.length > MOST_IN_BATCH ? 'long_batch' : undefined;
}
