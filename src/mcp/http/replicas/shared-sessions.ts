/**
 * Sessions of clients of 2025-11-25 and older that several replicas share: each request may reach another one. The same
 * promises as those of sessions in memory, and a stream that breaks goes on wherever its client comes back.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { type JSONRPCMessage, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { ownerOf, type Principal } from '../../../shared/principal.ts';
import { authInfoOf, idProblem, repeatedId } from '../../request.ts';
import { KNOWS_PRIMERS } from '../event-log.ts';
import {
  answerError,
  BATCH_VERSION,
  type McpExchange,
  type Refuse,
  refuseInJsonRpc,
  refuseUnavailable,
} from '../refusals.ts';
import {
  batchProblem,
  isInitialize,
  messagesIn,
  RETRY_MS,
  requestedVersion,
  type SessionHost,
  type SessionOptions,
  SWEEPS_PER_IDLE_TIME,
} from '../sessions.ts';
import { answeredInSession, refuseEventId, strictSessionId } from '../strict.ts';
import { type NamedExchange, openListenStream } from './listen.ts';
import type { RecentChanges } from './recent-changes.ts';
import { isMethod, targetOf } from './replica-ids.ts';
import { SessionCopy } from './session-copy.ts';
import { keyOf, principalOf } from './shared-streams.ts';
import type { SessionStore } from './store.ts';
import { resumeStream } from './streams.ts';

const EVENT_ID = /^([gp])([1-9]\d{0,14})\.(0|[1-9]\d{0,14})$/;
const MOST_STREAMS = 2 ** 47;
const LONGEST_SWEEP_MS = 15_000;
/** A copy that is not used is closed; the session goes on. */
const COPY_IDLE_MS = 120_000;
const EVENT_MS = 10 * 60_000;
const REFUSED = -32_000;

export interface SharedSessionOptions<Caller extends Principal = Principal> extends SessionOptions<Caller> {
  readonly store: SessionStore;
  readonly changes: RecentChanges;
}

export class SharedSessions<Caller extends Principal = Principal> implements SessionHost<Caller> {
  readonly #options: SharedSessionOptions<Caller>;
  readonly #store: SessionStore;
  readonly #refuse: Refuse;
  readonly #copies = new Map<string, SessionCopy<Caller>>();
  readonly #restoring = new Map<string, Promise<SessionCopy<Caller> | undefined>>();
  /** Streams that are resumed here, each with what wakes them. */
  readonly #followers = new Map<string, Set<() => void>>();
  readonly #sweeper: NodeJS.Timeout;
  readonly #unwatch: () => void;
  #isDoubtful = false;
  /** Of the events that were added here since the last sweep. */
  #bytes = 0;
  #sweeping: Promise<void> | undefined;

  constructor(options: SharedSessionOptions<Caller>) {
    this.#options = options;
    this.#store = options.store;
    this.#refuse = options.refuse ?? refuseInJsonRpc;
    this.#unwatch = this.#store.watch({
      message: (key, message, caller) => this.#copies.get(key)?.deliver(message, caller),
      changed: (key) => this.#inBackground(this.#check([key])),
      event: (key, stream) => this.#wake(key, stream),
      gap: () => {
        this.#inBackground(this.#check([...this.#copies.keys()]));
        for (const wakes of this.#followers.values()) for (const wake of wakes) wake();
      },
    });
    const everyMs = Math.min(options.limits.idleMs / SWEEPS_PER_IDLE_TIME, LONGEST_SWEEP_MS);
    this.#sweeper = setInterval(() => this.#inBackground(this.#sweep()), everyMs).unref();
  }

  /** Those that this replica speaks for: each session counts on one replica. */
  get size(): number {
    return [...this.#copies.values()].filter(({ pushes }) => pushes.isSpeaker).length;
  }

  async handle(exchange: McpExchange<Caller>): Promise<void> {
    try {
      await this.#serve(exchange);
    } catch (error) {
      refuseUnavailable(exchange.response, error);
    }
  }

  /** Sessions go on elsewhere. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    this.#unwatch();
    this.#options.changes.close();
    const copies = [...this.#copies.values()];
    this.#copies.clear();
    await Promise.all(copies.map((copy) => this.#closeCopy(copy)));
  }

  async #serve(exchange: McpExchange<Caller>): Promise<void> {
    const { request, response, caller, body } = exchange;
    const id = request.headers['mcp-session-id'];
    if (id === undefined) {
      if (Array.isArray(body)) return this.#refuse(response, 'no_batches');
      if (request.method === 'POST' && isInitialize(body)) return this.#begin(exchange);
      return this.#refuse(response, 'no_session');
    }
    const named = { ...exchange, id: String(id), key: keyOf(String(id)) };
    switch (request.method) {
      case 'POST':
        return this.#post(named);
      case 'GET':
        return this.#get(named);
      case 'DELETE':
        if (!(await this.#store.find(named.key, ownerOf(caller))))
          return this.#refuse(response, 'unknown_session');
        await this.#store.end(named.key);
        await this.#drop(named.key);
        response.writeHead(this.#options.strict ? 204 : 200).end();
        return;
      default:
        response.setHeader('Allow', 'GET, POST, DELETE');
        return answerError(response, 405, REFUSED, 'Method not allowed.');
    }
  }

  async #begin(exchange: McpExchange<Caller>): Promise<void> {
    const { response, caller, body } = exchange;
    const { limits, strict } = this.#options;
    const id = strict ? strictSessionId() : randomUUID();
    const key = keyOf(id);
    const { params: opening = {} } = body as { params?: unknown };
    if (!(await this.#store.open({ key, owner: ownerOf(caller), opening }, limits.sessions)))
      return this.#refuse(response, 'too_many');
    const copy = this.#newCopy(id, key, caller);
    copy.pushes.speak(0);
    copy.hasBatches = requestedVersion(body) === BATCH_VERSION;
    this.#copies.set(key, copy);
    try {
      await copy.connect();
      await this.#run(copy, { ...exchange, id, key });
    } finally {
      if (!copy.isInitialized) {
        this.#copies.delete(key);
        await copy.close().catch(() => {});
        await this.#store.end(key);
      }
    }
    if (!copy.isInitialized) return;
    copy.isBegunHere = true;
    this.#options.watch?.opened(id, caller);
  }

  async #post(exchange: NamedExchange<Caller>): Promise<void> {
    const { response, caller, body, key } = exchange;
    const copy = await this.#copyOf(exchange);
    if (!copy) return this.#refuse(response, 'unknown_session');
    const batch = batchProblem(copy, body);
    if (batch) return this.#refuse(response, batch);
    const messages = messagesIn(body);
    const hasRequests = messages.some(isRequest);
    if (!hasRequests && !(await this.#store.find(key, ownerOf(caller)))) {
      await this.#drop(key);
      return this.#refuse(response, 'unknown_session');
    }
    if (copy.strict) {
      if (hasRequests && !copy.strict.isReady) await this.#check([key]);
      if (answeredInSession(copy.strict, exchange)) return;
    }
    for (const message of messages) if (!isRequest(message)) await this.#route(copy, message, caller);
    await this.#run(copy, exchange);
  }

  /** Sends a message that is not a request to the replicas that wait for it. */
  async #route(copy: SessionCopy<Caller>, message: JSONRPCMessage, caller: Caller): Promise<void> {
    const isInitialized = isMethod(message, 'notifications/initialized');
    if (isInitialized && copy.strict) await this.#store.change(copy.key, { isReady: true });
    const target = targetOf(message);
    const isForAll = target === 'others';
    if (!isForAll && copy.isHere(message)) return;
    const isSent = await this.#store.send(copy.key, target, message, principalOf(caller));
    if (isInitialized && !isSent) copy.isOrphan = true;
  }

  /** Gives the messages of a POST to the SDK, its requests registered. */
  async #run(copy: SessionCopy<Caller>, exchange: NamedExchange<Caller>): Promise<void> {
    const { request, response, caller, body, key } = exchange;
    // The response of a client that has left already emits no other close event.
    if (response.destroyed) return;
    copy.enter(response);
    const requests = messagesIn(body).filter(isRequest);
    if (requests.length > 0) {
      const ids = requests.map(({ id }) => id);
      const problem = idProblem(ids);
      if (problem) return answerError(response, 400, problem.code, problem.message);
      const stream = randomInt(1, MOST_STREAMS);
      const version = request.headers['mcp-protocol-version'] ?? requestedVersion(body);
      const hasPrimer = version === KNOWS_PRIMERS;
      const begun = await this.#store.begin(key, ownerOf(caller), { stream, requests: ids, hasPrimer });
      if (begun === 'unknown_session') {
        await this.#drop(key);
        // A session that is over before it began had to make room for another.
        return this.#refuse(response, copy.isInitialized ? 'unknown_session' : 'too_many');
      }
      if ('repeated' in begun) {
        const { code, message } = repeatedId(begun.repeated);
        return answerError(response, 400, code, message, { id: begun.repeated });
      }
      copy.begin(requests, stream);
      // What the SDK refuses is not answered in a stream.
      response.once('close', () => {
        if (response.statusCode !== 200) void copy.forget(ids);
      });
      if (begun.version !== copy.version) await this.#check([key]);
    }
    const authorized = Object.assign(request, { auth: authInfoOf(caller) });
    await copy.transport.handleRequest(authorized, response, body);
  }

  async #get(exchange: NamedExchange<Caller>): Promise<void> {
    const { request, response, caller, id, key } = exchange;
    const { strict } = this.#options;
    const problem = strict ? undefined : streamProblem(request.headers);
    if (problem) return answerError(response, problem.status, REFUSED, problem.message);
    const last = request.headers['last-event-id'];
    const { 1: kind, 2: number, 3: seq } = EVENT_ID.exec(String(last)) ?? [];
    if (last !== undefined && kind === undefined) {
      if (!(await this.#store.find(key, ownerOf(caller)))) return this.#refuse(response, 'unknown_session');
      return refuseEventId(response);
    }
    if (kind === 'p') {
      if (!(await this.#store.find(key, ownerOf(caller)))) return this.#refuse(response, 'unknown_session');
      const stream = Number(number);
      const resumed = await resumeStream(response, {
        key,
        sessionId: id,
        stream,
        after: Number(seq),
        store: this.#store,
        onEvent: (wake) => this.#onEvent(key, stream, wake),
        keepAliveMs: strict?.keepAliveMs,
      });
      if (!resumed) refuseEventId(response);
      return;
    }
    const copy = await this.#copyOf(exchange);
    if (!copy) return this.#refuse(response, 'unknown_session');
    if (copy.strict && !copy.strict.isReady) await this.#check([key]);
    if (copy.strict && answeredInSession(copy.strict, exchange)) return;
    const takesOver = kind === undefined ? undefined : { number: Number(number), seq: Number(seq) };
    const isKnown = await openListenStream(copy, exchange, { ...this.#options, takesOver });
    if (isKnown) return;
    await this.#drop(key);
    this.#refuse(response, 'unknown_session');
  }

  async #copyOf({ id, key, caller }: NamedExchange<Caller>): Promise<SessionCopy<Caller> | undefined> {
    const copy =
      this.#copies.get(key) ?? (await (this.#restoring.get(key) ?? this.#restored(id, key, caller)));
    return copy && ownerOf(copy.caller) === ownerOf(caller) ? copy : undefined;
  }

  #restored(id: string, key: string, caller: Caller): Promise<SessionCopy<Caller> | undefined> {
    const restore = async () => {
      const record = await this.#store.find(key, ownerOf(caller));
      if (!record) return undefined;
      const copy = this.#newCopy(id, key, caller);
      await copy.connect(record);
      this.#copies.set(key, copy);
      this.#options.watch?.joined?.(id, caller);
      return copy;
    };
    const restored = restore().finally(() => this.#restoring.delete(key));
    this.#restoring.set(key, restored);
    return restored;
  }

  #newCopy(id: string, key: string, caller: Caller): SessionCopy<Caller> {
    const { createServer, strict, log } = this.#options;
    return new SessionCopy<Caller>({
      id,
      key,
      caller,
      server: createServer(caller, id),
      store: this.#store,
      isStrict: strict !== undefined,
      retryMs: strict?.retryMs ?? RETRY_MS,
      log,
      onEvent: (stream, bytes) => {
        this.#wake(key, stream);
        this.#count(bytes);
      },
      onDoubt: () => {
        this.#isDoubtful = true;
      },
    });
  }

  /** Compares copies with their records. */
  async #check(keys: readonly string[]): Promise<void> {
    const copies = keys.flatMap((key) => this.#copies.get(key) ?? []);
    if (copies.length === 0) return;
    const records = await this.#store.findAll(copies.map(({ key }) => key));
    for (const copy of copies) {
      const record = records.find(({ key }) => key === copy.key);
      if (!record) await this.#drop(copy.key);
      else {
        if (copy.pushes.isSpeaker && record.speaker !== this.#store.replica) copy.pushes.quiet();
        await copy.sync(record);
      }
    }
  }

  #sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepOnce().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  async #sweepOnce(): Promise<void> {
    if (this.#isDoubtful) {
      this.#isDoubtful = false;
      const running = [...this.#copies.values()].flatMap(({ streams }) => streams);
      await this.#store.forgetBut(running).catch(() => {
        this.#isDoubtful = true;
      });
    }
    const oldest = Date.now() - COPY_IDLE_MS;
    for (const copy of this.#copies.values())
      if (copy.isIdle && !copy.pushes.isSpeaker && copy.usedAt < oldest) await this.#drop(copy.key);
    await this.#store.sweep({ ...this.#options.limits, eventMs: this.#options.strict?.ageMs ?? EVENT_MS });
  }

  /** Much at once is not left to the next sweep. */
  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < this.#options.limits.bufferedBytes / SWEEPS_PER_IDLE_TIME) return;
    this.#bytes = 0;
    this.#inBackground(this.#sweep());
  }

  async #drop(key: string): Promise<void> {
    const copy = this.#copies.get(key);
    if (!copy) return;
    this.#copies.delete(key);
    await this.#closeCopy(copy);
  }

  async #closeCopy(copy: SessionCopy<Caller>): Promise<void> {
    const { watch, log } = this.#options;
    await copy
      .close()
      .catch((error: unknown) => log('debug', 'session not closed', { error: String(error) }));
    watch?.[copy.isBegunHere ? 'closed' : 'left']?.(copy.id, copy.caller);
  }

  #onEvent(key: string, stream: number, wake: () => void): () => void {
    const name = `${key} ${stream}`;
    const wakes = this.#followers.get(name) ?? new Set();
    this.#followers.set(name, wakes.add(wake));
    return () => {
      wakes.delete(wake);
      if (wakes.size === 0) this.#followers.delete(name);
    };
  }

  #wake(key: string, stream: number): void {
    for (const wake of this.#followers.get(`${key} ${stream}`) ?? []) wake();
  }

  #inBackground(work: Promise<void>): void {
    work.catch((error: unknown) =>
      this.#options.log('warn', 'shared sessions could not be looked after', { error: String(error) }),
    );
  }
}

function isRequest(
  message: JSONRPCMessage,
): message is Extract<JSONRPCMessage, { method: string; id: unknown }> {
  return 'method' in message && 'id' in message;
}

function streamProblem(headers: McpExchange['request']['headers']) {
  if (!headers.accept?.includes('text/event-stream'))
    return { status: 406, message: 'Not Acceptable: Client must accept text/event-stream' };
  const version = headers['mcp-protocol-version'];
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) return undefined;
  return {
    status: 400,
    message: `Bad Request: Unsupported protocol version: ${String(version).slice(0, 40)}`,
  };
}
