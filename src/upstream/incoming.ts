/**
 * Bounds what a server sends without being asked, over any transport. Announcements, progress and updates are joined,
 * log messages limited, unknown notifications dropped, requests limited in rate and number; all of it is counted. Answers
 * always pass.
 */
import type { JSONRPCMessage, JSONRPCRequest, Transport } from '@modelcontextprotocol/client';
import { createTokenBuckets } from '../shared/rate-limit.ts';
import { createCoalescer } from './coalesce.ts';

/** Messages that were not passed on. */
export interface LoadCounts {
  logs: number;
  listChanges: number;
  progress: number;
  updates: number;
  requests: number;
  unknown: number;
}

export function noLoad(): LoadCounts {
  return { logs: 0, listChanges: 0, progress: 0, updates: 0, requests: 0, unknown: 0 };
}

interface IncomingOptions {
  readonly counts: LoadCounts;
  /** Whether a client of ours watches the resource. */
  readonly isWatched: (uri: string) => boolean;
  /** Called with how many log messages were left out since the last call. */
  readonly onLogsLeftOut: (count: number) => void;
}

type Deliver = () => void;
type Notification = Extract<JSONRPCMessage, { method: string }>;

const RELIST_MS = 1_000;
const UPDATE_MS = 1_000;
const PROGRESS_MS = 100;
const PROGRESS_BURST = 20;
const LOGS = { perSecond: 20, burst: 100 };
const OTHERS = { perSecond: 50, burst: 100 };
const MAX_REQUESTS = 16;
/** At most one line about messages that were left out in this time, unless a call ends. */
const SUMMARY_MS = 5_000;
const SUMMARIES = { perSecond: 1, burst: 3 };
const BUSY = -32_000;
const ONE = 'one';

/** Notifications that are neither joined nor limited as log messages are. */
const PLAIN = new Set([
  'notifications/cancelled',
  'notifications/elicitation/complete',
  'notifications/subscriptions/acknowledged',
  'notifications/tasks/status',
]);

/** Must be called before the transport is connected. Returns a function that ends the timers. */
export function boundIncoming(transport: Transport, options: IncomingOptions): () => void {
  const { counts } = options;
  const joined = (name: 'listChanges' | 'progress' | 'updates') => () => void counts[name]++;
  const lists = createCoalescer({ everyMs: RELIST_MS, onJoined: joined('listChanges') });
  const updates = createCoalescer({ everyMs: UPDATE_MS, burst: 3, onJoined: joined('updates') });
  const progress = createCoalescer({
    everyMs: PROGRESS_MS,
    burst: PROGRESS_BURST,
    onJoined: joined('progress'),
  });
  const others = createTokenBuckets({ ...OTHERS, maxKeys: 1 });
  const logs = limitLogs(options);
  const requests = limitRequests(transport, counts);

  const notified = (message: Notification, deliver: Deliver) => {
    const { method, params } = message;
    if (method === 'notifications/cancelled') requests.forget(params?.requestId);
    if (method.endsWith('/list_changed')) lists.add(method, deliver);
    else if (method === 'notifications/message') logs.add(deliver);
    else if (method === 'notifications/progress') progress.add(keyOf(params?.progressToken), deliver);
    else if (method === 'notifications/resources/updated') {
      if (options.isWatched(String(params?.uri))) updates.add(String(params?.uri), deliver);
      else counts.updates++;
    } else if (PLAIN.has(method) && others(ONE) === undefined) deliver();
    else counts.unknown++;
  };
  passThrough(transport, (message, deliver) => {
    if (!('method' in message)) {
      logs.beforeAnswer();
      // The SDK handles a notification a microtask later, and none of a request that was answered.
      if (message.id !== undefined && progress.finish(message.id)) void twoMicrotasks().then(deliver);
      else deliver();
    } else if ('id' in message) {
      if (requests.admit(message)) deliver();
    } else notified(message, deliver);
  });
  return () => {
    for (const one of [lists, updates, progress, logs]) one.close();
  };
}

async function twoMicrotasks(): Promise<void> {
  await undefined;
}

function keyOf(token: unknown): string | number {
  return typeof token === 'number' ? token : String(token).slice(0, 200);
}

/** Puts `admit` before every handler of the transport's messages; of handlers within handlers, only the outermost asks. */
function passThrough(transport: Transport, admit: (message: JSONRPCMessage, deliver: Deliver) => void): void {
  let handler = transport.onmessage;
  let passing: JSONRPCMessage | undefined;
  const guarded =
    (own: NonNullable<Transport['onmessage']>): typeof own =>
    (message, extra) => {
      if (message === passing) return own(message, extra);
      admit(message, () => {
        passing = message;
        try {
          own(message, extra);
        } finally {
          passing = undefined;
        }
      });
    };
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get: () => handler && guarded(handler),
    set: (own: Transport['onmessage']) => {
      handler = own;
    },
  });
}

function limitLogs({ counts, onLogsLeftOut }: IncomingOptions) {
  const bucket = createTokenBuckets({ ...LOGS, maxKeys: 1 });
  const summaries = createTokenBuckets({ ...SUMMARIES, maxKeys: 1 });
  let leftOut = 0;
  let timer: NodeJS.Timeout | undefined;
  const summarize = () => {
    clearTimeout(timer);
    timer = undefined;
    if (leftOut === 0) return;
    const count = leftOut;
    leftOut = 0;
    onLogsLeftOut(count);
  };
  return {
    add(deliver: Deliver): void {
      if (bucket(ONE) === undefined) {
        deliver();
        return;
      }
      counts.logs++;
      leftOut++;
      timer ??= setTimeout(summarize, SUMMARY_MS).unref();
    },
    /** Before the answer to a call, whose client then learns of it. */
    beforeAnswer: () => leftOut > 0 && summaries(ONE) === undefined && summarize(),
    close: () => clearTimeout(timer),
  };
}

/** Requests of the server: few at once, and few in a second. One too many is told so, as long as there are few of them. */
function limitRequests(transport: Transport, counts: LoadCounts) {
  const asked = createTokenBuckets({ ...OTHERS, maxKeys: 1 });
  const refused = createTokenBuckets({ ...OTHERS, maxKeys: 1 });
  const open = new Set<string | number>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!('method' in message) && message.id !== undefined) open.delete(message.id);
    return send(message, options);
  };
  return {
    admit({ id }: JSONRPCRequest): boolean {
      if (open.size < MAX_REQUESTS && asked(ONE) === undefined) {
        open.add(id);
        return true;
      }
      counts.requests++;
      const error = { code: BUSY, message: 'Too many requests at once. Try again later.' };
      if (refused(ONE) === undefined) send({ jsonrpc: '2.0', id, error }).catch(() => undefined);
      return false;
    },
    /** The server has cancelled it, so it gets no answer. */
    forget: (id: unknown) => void open.delete(id as string | number),
  };
}
