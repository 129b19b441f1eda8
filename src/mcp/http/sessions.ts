/**
 * Clients of 2025-11-25 and older keep a session. It belongs to who opened it: for anybody else it does not
 * exist. Their number is bounded; one that nobody used for a while ends.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Server } from '@modelcontextprotocol/server';
import type { Log } from '../../shared/log.ts';
import type { Principal } from '../../shared/principal.ts';
import { type EventLog, EventLogs } from './event-log.ts';
import { beginWithPrimer } from './primer.ts';
import { answerError } from './refusals.ts';

export interface SessionLimits {
  readonly sessions: number;
  readonly idleMs: number;
  /** Of what sessions were told and may ask for again, all together. */
  readonly bufferedBytes: number;
}

export interface SessionOptions {
  readonly createServer: (principal: Principal) => Server;
  readonly limits: SessionLimits;
  readonly log: Log;
}

interface Session {
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly server: Server;
  readonly owner: string;
  readonly events: EventLog;
  /** Requests and streams that are open. */
  open: number;
  usedAt: number;
}

const SWEEPS_PER_IDLE_TIME = 4;
const RETRY_MS = 1_000;

export class Sessions {
  readonly #options: SessionOptions;
  readonly #sessions = new Map<string, Session>();
  /** Those that have no id yet. */
  readonly #beginning = new Set<Session>();
  readonly #sweeper: NodeJS.Timeout;
  readonly #logs: EventLogs;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#logs = new EventLogs(options.limits.bufferedBytes);
    this.#sweeper = setInterval(() => this.#sweep(), options.limits.idleMs / SWEEPS_PER_IDLE_TIME).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Answers one request of such a client. `body` is what a POST carried. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
    body: unknown,
  ): Promise<void> {
    const id = request.headers['mcp-session-id'];
    if (id === undefined) {
      if (request.method === 'POST' && isInitialize(body))
        return this.#begin(request, response, principal, body);
      return answerError(response, 400, -32000, 'Mcp-Session-Id is missing: send initialize first');
    }
    const session = this.#sessions.get(String(id));
    if (!session || session.owner !== principal.id)
      return answerError(response, 404, -32001, 'Session not found: send initialize again');
    await this.#use(session, request, response, body);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(all.map(({ server }) => server.close().catch(() => {})));
  }

  async #begin(
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
    body: unknown,
  ): Promise<void> {
    const { limits, createServer } = this.#options;
    const isFull = this.#sessions.size + this.#beginning.size >= limits.sessions;
    if (isFull && !this.#endLongestIdle()) {
      response.setHeader('Retry-After', '30');
      return answerError(response, 503, -32000, 'Too many sessions: try again later');
    }
    const server = createServer(principal);
    const events = this.#logs.open();
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: events,
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => {
        this.#beginning.delete(session);
        this.#sessions.set(id, session);
      },
      onsessionclosed: (id) => this.#end(id),
    });
    const session: Session = {
      transport,
      server,
      owner: principal.id,
      events,
      open: 0,
      usedAt: Date.now(),
    };
    this.#beginning.add(session);
    try {
      await server.connect(transport);
      await this.#use(session, request, response, body);
    } finally {
      this.#beginning.delete(session);
    }
    if (transport.sessionId === undefined || !this.#sessions.has(transport.sessionId))
      await server.close().catch(() => {});
  }

  async #use(
    session: Session,
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
  ): Promise<void> {
    // Whoever left while others looked at the request will not close its response again.
    if (response.destroyed) return;
    session.open++;
    session.usedAt = Date.now();
    response.once('close', () => {
      session.open--;
      session.usedAt = Date.now();
    });
    beginWithPrimer(request, response, session.events, RETRY_MS);
    await session.transport.handleRequest(request, response, body);
  }

  #sweep(): void {
    const oldest = Date.now() - this.#options.limits.idleMs;
    for (const [id, { open, usedAt }] of this.#sessions) if (open === 0 && usedAt < oldest) this.#end(id);
  }

  /** Room for a new one; false when all are in use. */
  #endLongestIdle(): boolean {
    let longest: [string, Session] | undefined;
    for (const entry of this.#sessions)
      if (entry[1].open === 0 && (!longest || entry[1].usedAt < longest[1].usedAt)) longest = entry;
    if (!longest) return false;
    this.#end(longest[0]);
    return true;
  }

  #end(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    session.events.clear();
    session.server
      .close()
      .catch((error: unknown) => this.#options.log('debug', 'session not closed', { error: String(error) }));
  }
}

function isInitialize(body: unknown): boolean {
  const messages = Array.isArray(body) ? body : [body];
  return messages.some((message) => (message as { method?: unknown } | null)?.method === 'initialize');
}
