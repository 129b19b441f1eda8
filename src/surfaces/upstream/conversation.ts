/**
 * A call to a server of the era of sessions, for a client of 2026-07-28: the server asks in the midst of the call, and the
 * client is asked by an answer. So the call goes on while the client is away, and its next request finds it again.
 */
import type {
  CreateMessageResult,
  ElicitResult,
  InputRequest,
  InputRequests,
  InputResponse,
  InputResponses,
} from '@modelcontextprotocol/server';
import { scanResult } from '../../governance/catalog/scan/result.ts';
import type { Plane } from '../../governance/plane.ts';
import { type ClientLogLevel, LOG_LEVELS, type LogMessage, type Logs } from '../../mcp/logs.ts';
import type { ClientAbilities, ClientRequest } from '../../mcp/request.ts';
import type { UpstreamLog } from '../../upstream/calls.ts';
import type { CallClient } from '../../upstream/nested/operator.ts';
import { whoCalls } from './answer.ts';

/** What a call has of a client that comes and goes. */
export type Seat = Pick<ClientRequest, 'signal' | 'onProgress' | 'onLog'> & { readonly client: CallClient };

type ConversationTurn<T> = { readonly done: T } | { readonly asks: InputRequests };

export interface Conversation<T> {
  /** Until the call is over, or something is to be asked. The caller's end in between is the end of the call. */
  turn(requested: ClientRequest, responses?: InputResponses): Promise<ConversationTurn<T>>;
  /** Gives the call up. */
  end(): void;
}

interface Pending {
  readonly request: InputRequest;
  readonly answer: (response: InputResponse) => void;
}

export function openConversation<T>(
  can: ClientAbilities,
  begin: (seat: Seat) => Promise<T>,
): Conversation<T> {
  const over = new AbortController();
  const pending = new Map<string, Pending>();
  let count = 0;
  let listener: ClientRequest | undefined;
  let onAsked = () => {};

  const ask = (request: InputRequest, signal: AbortSignal) =>
    new Promise<InputResponse>((resolve, reject) => {
      const key = `question-${++count}`;
      pending.set(key, { request, answer: resolve });
      const give = () => {
        pending.delete(key);
        reject(new Error('Nobody answered in time'));
      };
      if (signal.aborted) return give();
      signal.addEventListener('abort', give, { once: true });
      onAsked();
    });
  const client: CallClient = {
    can,
    elicit: async (params, signal) =>
      (await ask({ method: 'elicitation/create', params } as InputRequest, signal)) as ElicitResult,
    sample: async (params, signal) =>
      (await ask(
        { method: 'sampling/createMessage', params } as InputRequest,
        signal,
      )) as CreateMessageResult,
  };
  const work = begin({
    signal: over.signal,
    client,
    onProgress: (progress) => listener?.onProgress?.(progress),
    onLog: (message) => listener?.onLog?.(message),
  });
  // Whoever comes back for it hears how it ended.
  work.catch(() => undefined);

  return {
    async turn(requested, responses = {}) {
      for (const [key, response] of Object.entries(responses)) {
        pending.get(key)?.answer(response);
        pending.delete(key);
      }
      const giveUp = () => over.abort();
      requested.signal.addEventListener('abort', giveUp, { once: true });
      listener = requested;
      try {
        const asked = new Promise<'asked'>((resolve) => {
          // What is asked at once is asked together.
          onAsked = () => setImmediate(resolve, 'asked');
          if (pending.size > 0) onAsked();
        });
        const first = await Promise.race([asked, work.then((done) => ({ done }))]);
        return first === 'asked' ? { asks: requestsOf(pending) } : first;
      } finally {
        listener = undefined;
        onAsked = () => {};
        requested.signal.removeEventListener('abort', giveUp);
      }
    },
    end: () => over.abort(),
  };
}

function requestsOf(pending: ReadonlyMap<string, Pending>): InputRequests {
  return Object.fromEntries([...pending].map(([key, { request }]) => [key, request]));
}

/**
 * What governed servers say of themselves. What they say while they work on a call goes to who made it; the rest goes to
 * the clients as long as they are all of one caller, since it may be about anybody's call.
 */

const MAX_BYTES = 16_384;
const MAX_LOGGER = 100;

interface UpstreamLogs extends Logs {
  /** Begins to listen to a server. */
  listen(server: string): Promise<void>;
}

export function upstreamLogs(plane: Pick<Plane, 'server' | 'upstream'>): UpstreamLogs {
  const watchers = new Map<(message: LogMessage) => void, string>();
  const listenedTo = new Set<string>();
  const tell = (said: UpstreamLog) => {
    const message = messageOf(said);
    if (!message || new Set(watchers.values()).size !== 1) return;
    for (const one of watchers.keys()) one(message);
  };
  return {
    isQuiet: true,
    watch(hear, caller = {}) {
      watchers.set(hear, whoCalls(caller));
      return () => void watchers.delete(hear);
    },
    async listen(server) {
      if (listenedTo.has(server)) return;
      listenedTo.add(server);
      const upstream = await plane.upstream(plane.server(server));
      upstream.onLog(tell);
    },
  };
}

/** Whose words they are, without what nobody sees; undefined for what is none or too much. */
export function messageOf(said: UpstreamLog): LogMessage | undefined {
  const level = LOG_LEVELS.find((one) => one === said.level) as ClientLogLevel | undefined;
  if (!level || JSON.stringify(said.data ?? null).length > MAX_BYTES) return undefined;
  const { logger, data } = scanResult({ logger: said.logger ?? '', data: said.data }).result;
  const name = logger === '' ? said.server : `${said.server}/${logger.slice(0, MAX_LOGGER)}`;
  return { level, logger: name, data };
}
