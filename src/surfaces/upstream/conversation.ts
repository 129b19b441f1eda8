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
import type { ClientAbilities } from '../../mcp/client-requests.ts';
import type { ClientRequest } from '../../mcp/request.ts';
import type { CallClient } from '../../upstream/nested/operator.ts';

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
