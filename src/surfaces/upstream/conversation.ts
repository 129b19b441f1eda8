/**
 * Bridges a call between a legacy-era server, which sends requests during the call, and a client of 2026-07-28,
 * which receives them as an `input_required` result. The call stays open between the client's requests.
 */
import type {
  CreateMessageResult,
  ElicitResult,
  InputRequest,
  InputRequests,
  InputResponse,
  InputResponses,
} from '@modelcontextprotocol/server';
import { stripResult } from '../../governance/catalog/scan/scan.ts';
import type { Plane } from '../../governance/plane.ts';
import { type ClientLogLevel, LOG_LEVELS, type LogMessage, type Logs } from '../../mcp/logs.ts';
import type { ClientAbilities, ClientRequest } from '../../mcp/request.ts';
import type { UpstreamLog } from '../../upstream/calls.ts';
import type { CallClient } from '../../upstream/nested/operator.ts';
import { whoCalls } from './answer.ts';

/** The client's side of a call, which changes with every request. */
export type CallPeer = Pick<ClientRequest, 'signal' | 'onProgress' | 'onLog'> & {
  readonly client: CallClient;
};

type ConversationStep<T> = { readonly done: T } | { readonly asks: InputRequests };

export interface Conversation<T> {
  /**
   * Resolves when the call is over or the server asks something. Cancellation by the caller meanwhile cancels the
   * call.
   */
  advance(requested: ClientRequest, responses?: InputResponses): Promise<ConversationStep<T>>;
  /** Cancels the call. */
  end(): void;
}

interface PendingAnswer {
  readonly request: InputRequest;
  readonly answer: (response: InputResponse) => void;
}

export function openConversation<T>(
  can: ClientAbilities,
  begin: (peer: CallPeer) => Promise<T>,
): Conversation<T> {
  const over = new AbortController();
  const pending = new Map<string, PendingAnswer>();
  let count = 0;
  let listener: ClientRequest | undefined;
  let onAsked = () => {};

  const ask = (request: InputRequest, signal: AbortSignal) =>
    new Promise<InputResponse>((resolve, reject) => {
      const key = `question-${++count}`;
      pending.set(key, { request, answer: resolve });
      const give = () => {
        pending.delete(key);
        reject(new Error('The client did not answer in time'));
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
  // The error is delivered with the client's next request.
  work.catch(() => undefined);

  return {
    async advance(requested, responses = {}) {
      for (const [key, response] of Object.entries(responses)) {
        pending.get(key)?.answer(response);
        pending.delete(key);
      }
      const giveUp = () => over.abort();
      requested.signal.addEventListener('abort', giveUp, { once: true });
      listener = requested;
      try {
        const asked = new Promise<'asked'>((resolve) => {
          // Questions asked in the same tick are delivered together.
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

function requestsOf(pending: ReadonlyMap<string, PendingAnswer>): InputRequests {
  return Object.fromEntries([...pending].map(([key, { request }]) => [key, request]));
}

const MAX_BYTES = 16_384;
const MAX_LOGGER = 100;

interface UpstreamLogs extends Logs {
  /** Subscribes to a server's messages. */
  listen(server: string): Promise<void>;
}

/**
 * Log messages of governed servers. Messages sent during a call go to its caller; others may concern any call, so
 * they are sent to clients only while all clients belong to one caller.
 */
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

/** Attributes the message to its server and removes hidden characters; undefined when it is empty or too long. */
export function messageOf(said: UpstreamLog): LogMessage | undefined {
  const level = LOG_LEVELS.find((one) => one === said.level) as ClientLogLevel | undefined;
  if (!level || JSON.stringify(said.data ?? null).length > MAX_BYTES) return undefined;
  const { logger, data } = stripResult({ logger: said.logger ?? '', data: said.data });
  const name = logger === '' ? said.server : `${said.server}/${logger.slice(0, MAX_LOGGER)}`;
  return { level, logger: name, data };
}
