/**
 * A session as one replica has it: a protocol server and a transport, made from the shared record. Requests run where
 * they arrive; what outlives them (subscriptions, log level, events, requests without an answer) is in the store.
 */
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type {
  JSONRPCMessage,
  MessageExtraInfo,
  RequestId,
  Server,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import { isAppError } from '../../../shared/errors.ts';
import type { Log } from '../../../shared/log.ts';
import type { Principal } from '../../../shared/principal.ts';
import { authInfoOf } from '../../request.ts';
import { continueSession, requestOn } from '../../sdk-shims.ts';
import { BATCH_VERSION } from '../refusals.ts';
import { type StrictSession, strictTransport } from '../strict.ts';
import { cancelledBy, isMethod, replicaOf, withoutReplica, withReplica } from './replica-ids.ts';
import { SessionPushes } from './session-pushes.ts';
import type { SessionChange, SessionRecord, SessionStore } from './store.ts';

const INTERNAL_ERROR = -32_603;
/** An answer that the database did not take is given to it again for as long as a client may ask for it. */
const LATE_TRIES = 600;
const LATE_MS = 1_000;

/** The stream that answers the requests of one POST. */
interface CallStream {
  readonly number: number;
  /** Number of the last event. */
  seq: number;
  /** Resolves when the events so far are stored: a stream has one order. */
  tail: Promise<unknown>;
}

interface Call {
  readonly stream: CallStream;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>> | undefined;
}

type NewEvent = Parameters<SessionStore['add']>[1];
type CallRequest = Extract<JSONRPCMessage, { method: string; id: RequestId }>;

export interface CopyOptions<Caller> {
  readonly id: string;
  readonly key: string;
  readonly caller: Caller;
  readonly server: Server;
  readonly store: SessionStore;
  readonly isStrict: boolean;
  readonly retryMs: number;
  readonly log: Log;
  /** A stream has another event. */
  readonly onEvent: (stream: number, bytes: number) => void;
  /** What the store holds of this replica's requests may be wrong. */
  readonly onDoubt: () => void;
}

export class SessionCopy<Caller extends Principal = Principal> {
  readonly #options: CopyOptions<Caller>;
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly strict: StrictSession | undefined;
  readonly #calls = new Map<RequestId, Call>();
  /** Streams whose answer is not stored yet. */
  readonly #late = new Set<CallStream>();
  #isClosed = false;
  /** Answers to requests of this replica to its own server. */
  readonly #own = new Map<RequestId, () => void>();
  #ownRequests = 0;
  #receive: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  #known: Pick<SessionRecord, 'version' | 'logLevel' | 'subscriptions' | 'isReady'> = {
    version: 1,
    logLevel: undefined,
    subscriptions: [],
    isReady: false,
  };
  #syncing: Promise<void> | undefined;
  isInitialized = false;
  /** Whether this replica has begun the session. */
  isBegunHere = false;
  hasBatches = false;
  /** What belongs to no request. */
  readonly pushes: SessionPushes;
  /** The replica that should is gone. */
  isOrphan = false;
  /** Changes from before it spoke for the session are being told. */
  isLookingBack = false;
  /** The database is being told that the client listens no more. */
  isNotingClosed = false;
  /** How many requests and streams are open here. */
  open = 0;
  usedAt = Date.now();

  constructor(options: CopyOptions<Caller>) {
    this.#options = options;
    this.transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => options.id,
      eventStore: {
        storeEvent: (stream, message) => this.#storeEvent(stream, message),
        // Streams are resumed from the store, not by the SDK.
        replayEventsAfter: async () => '',
      },
      retryInterval: options.retryMs,
      onsessioninitialized: () => {
        this.isInitialized = true;
      },
    });
    this.pushes = new SessionPushes(options);
    this.strict = options.isStrict ? { isReady: false } : undefined;
  }

  get id(): string {
    return this.#options.id;
  }

  get key(): string {
    return this.#options.key;
  }

  get caller(): Caller {
    return this.#options.caller;
  }

  /** Of the record that the server acts by. */
  get version(): number {
    return this.#known.version;
  }

  get subscriptions(): readonly string[] {
    return this.#known.subscriptions;
  }

  get isIdle(): boolean {
    return this.open === 0 && this.#calls.size === 0 && this.#late.size === 0;
  }

  /** Of the streams that answer requests which run here. */
  get streams(): readonly number[] {
    return [...Array.from(this.#calls.values(), ({ stream }) => stream), ...this.#late].map(
      ({ number }) => number,
    );
  }

  /** Connects the server; with a record, to a session that was begun before. */
  async connect(record?: SessionRecord): Promise<void> {
    const { server, id } = this.#options;
    const { transport } = this;
    const send = transport.send.bind(transport);
    transport.send = (message, options) => this.#send(message, options, send);
    await server.connect(
      this.strict ? strictTransport(transport, (message) => void this.pushes.add(message)) : transport,
    );
    this.#receive = transport.onmessage;
    transport.onmessage = (message, extra) => {
      if (this.isHere(message)) this.#hear(message, extra);
    };
    if (!record) return;
    continueSession(transport, id);
    this.isInitialized = true;
    this.hasBatches = record.opening.protocolVersion === BATCH_VERSION;
    await this.#ask('initialize', record.opening);
    await this.#adopt(record);
    // What the server says about it belongs to the replica that speaks for the session.
    await nextTurn();
    if (record.speaker === this.#options.store.replica) this.pushes.speak(record.pushed);
  }

  begin(requests: readonly CallRequest[], number: number): void {
    const stream: CallStream = { number, seq: 0, tail: Promise.resolve() };
    for (const { id, method, params } of requests) this.#calls.set(id, { stream, method, params });
  }

  /** Requests that were not taken, or will not be answered. */
  async forget(requests: readonly RequestId[]): Promise<void> {
    const known = requests.filter((id) => this.#calls.delete(id));
    if (known.length === 0) return;
    await this.#options.store.forget(this.key, known).catch(() => this.#options.onDoubt());
  }

  /** Whether a client's message is for this replica. */
  isHere(message: JSONRPCMessage): boolean {
    if ('method' in message && 'id' in message) return true;
    if (isMethod(message, 'notifications/cancelled')) return this.#calls.has(cancelledBy(message));
    if (isMethod(message, 'notifications/initialized')) return this.pushes.isSpeaker || this.isOrphan;
    const replica = replicaOf(message);
    return replica === undefined || replica === this.#options.store.replica;
  }

  /** A message that reached another replica; without a caller, one that the former speaker could not add any more. */
  deliver(message: JSONRPCMessage, caller: Principal | undefined): void {
    if (caller) this.#hear(message, { authInfo: authInfoOf(caller) });
    else void this.pushes.accept(message);
  }

  /** Brings the server up to date with a record. */
  sync(record: SessionRecord): Promise<void> {
    this.#syncing = (this.#syncing ?? Promise.resolve()).then(() => this.#adopt(record));
    return this.#syncing;
  }

  /** Counts a response as open until it is closed. */
  enter(response: ServerResponse): void {
    this.open++;
    this.usedAt = Date.now();
    response.once('close', () => {
      this.open--;
      this.usedAt = Date.now();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.pushes.close();
    await this.#options.server.close();
  }

  #hear(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if (isMethod(message, 'notifications/initialized') && this.strict) this.strict.isReady = true;
    this.#receive?.(withoutReplica(message), extra);
    // A cancelled request gets no answer, unless the strict transport has given one.
    if (isMethod(message, 'notifications/cancelled') && !this.strict)
      void this.forget([cancelledBy(message)]);
  }

  async #send(
    message: JSONRPCMessage,
    options: TransportSendOptions | undefined,
    send: (message: JSONRPCMessage, options?: TransportSendOptions) => Promise<void>,
  ): Promise<void> {
    if ('method' in message) {
      if (options?.relatedRequestId === undefined) return this.pushes.add(message);
      return send(withReplica(message, this.#options.store.replica), options);
    }
    const id = message.id as RequestId;
    const own = this.#own.get(id);
    if (own) return own();
    try {
      await send(await this.#remembered(message, this.#calls.get(id)), options);
    } finally {
      this.#calls.delete(id);
    }
  }

  /** What a request has changed for the whole session is shared before it is answered. */
  async #remembered(
    message: Exclude<JSONRPCMessage, { method: string }>,
    call: Call | undefined,
  ): Promise<JSONRPCMessage> {
    const change = 'error' in message ? undefined : changeBy(call);
    if (!change) return message;
    try {
      const version = await this.#options.store.change(this.key, change);
      const isNext = version === this.#known.version + 1;
      this.#known = changed(this.#known, change, isNext ? version : this.#known.version);
      return message;
    } catch (error) {
      const text = isAppError(error) ? error.message : 'Internal error';
      return { jsonrpc: '2.0', id: message.id, error: { code: INTERNAL_ERROR, message: text } };
    }
  }

  async #storeEvent(sdkStream: string, message: JSONRPCMessage): Promise<string> {
    const request = requestOn(this.transport, sdkStream);
    const stream = request === undefined ? undefined : this.#calls.get(request)?.stream;
    if (!stream) return '';
    // The first event, which has only an id, is stored when the request begins.
    if (!('jsonrpc' in message)) return `p${stream.number}.0`;
    const added = stream.tail.then(() => this.#add(stream, message));
    stream.tail = added;
    return added;
  }

  /** Returns the event's id; without one, a client that is connected gets the event all the same. */
  async #add(stream: CallStream, message: JSONRPCMessage): Promise<string> {
    const { log, onDoubt } = this.#options;
    const seq = ++stream.seq;
    const answers = 'method' in message ? undefined : (message.id as RequestId);
    const data = JSON.stringify(message);
    const event = { stream: stream.number, seq, data, answers };
    try {
      return (await this.#keep(event)) ? `p${stream.number}.${seq}` : '';
    } catch (error) {
      log('warn', 'an event was not stored', { error: String(error) });
      if (answers === undefined) onDoubt();
      else void this.#addLate(stream, event);
      return '';
    }
  }

  async #keep(event: NewEvent): Promise<boolean> {
    const isHeld = await this.#options.store.add(this.key, event);
    this.#options.onEvent(event.stream, event.data.length);
    return isHeld;
  }

  /** A client that lost the stream waits for the answer. */
  async #addLate(stream: CallStream, event: NewEvent): Promise<void> {
    this.#late.add(stream);
    let isAdded = false;
    for (let tries = 0; tries < LATE_TRIES && !isAdded && !this.#isClosed; tries++) {
      await sleep(LATE_MS, undefined, { ref: false });
      isAdded = await this.#keep(event).then(
        () => true,
        () => false,
      );
    }
    this.#late.delete(stream);
    if (!isAdded) this.#options.onDoubt();
  }

  /** Makes a request of the session's own server, as its client did on another replica. */
  #ask(method: string, params: Readonly<Record<string, unknown>>): Promise<void> {
    const id = `quire.${++this.#ownRequests}`;
    return new Promise<void>((resolve) => {
      this.#own.set(id, () => {
        this.#own.delete(id);
        resolve();
      });
      this.#receive?.({ jsonrpc: '2.0', id, method, params } as JSONRPCMessage, {
        authInfo: authInfoOf(this.caller),
      });
    });
  }

  async #adopt({ version, logLevel, subscriptions, isReady }: SessionRecord): Promise<void> {
    const before = this.#known;
    if (version <= before.version && before.version !== 1) return;
    this.#known = { version, logLevel, subscriptions, isReady };
    if (this.strict && isReady) this.strict.isReady = true;
    if (logLevel !== undefined && logLevel !== before.logLevel)
      await this.#ask('logging/setLevel', { level: logLevel });
    for (const uri of subscriptions)
      if (!before.subscriptions.includes(uri)) await this.#ask('resources/subscribe', { uri });
    for (const uri of before.subscriptions)
      if (!subscriptions.includes(uri)) await this.#ask('resources/unsubscribe', { uri });
  }
}

/** What a successful request changes for all replicas. */
function changeBy(call: Call | undefined): SessionChange | undefined {
  const { uri, level } = (call?.params ?? {}) as { uri?: string; level?: string };
  switch (call?.method) {
    case 'resources/subscribe':
      return { subscribed: uri };
    case 'resources/unsubscribe':
      return { unsubscribed: uri };
    case 'logging/setLevel':
      return { logLevel: level };
    default:
      return undefined;
  }
}

function changed(
  known: Pick<SessionRecord, 'version' | 'logLevel' | 'subscriptions' | 'isReady'>,
  { logLevel, subscribed, unsubscribed }: SessionChange,
  version: number,
) {
  const others = known.subscriptions.filter((uri) => uri !== subscribed && uri !== unsubscribed);
  return {
    ...known,
    version,
    logLevel: logLevel ?? known.logLevel,
    subscriptions: subscribed === undefined ? others : [...others, subscribed],
  };
}
