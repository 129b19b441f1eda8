/**
 * Attributes nested requests and log messages of a server to one of its open calls. Over HTTP a message comes on the
 * stream of its call, which carries the call in AsyncLocalStorage. On a shared stream (stdio, the session's own) it is
 * attributed only while a single call is open. Also tracks requests in flight, whose streams may end without an answer.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type JSONRPCMessage,
  ProtocolError,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { isNestedDeeper, MAX_NESTING } from '../shared/nesting.ts';
import type { CallClient } from './nested/operator.ts';
import { MAX_NAMES, MAX_VALUES } from './value-count.ts';

interface OpenCall {
  readonly client?: CallClient;
  readonly onLog?: (message: UpstreamLog) => void;
}

export interface UpstreamLog {
  readonly server: string;
  readonly level: string;
  readonly logger?: string;
  readonly data: unknown;
}

export class OpenCalls {
  readonly #open = new Set<OpenCall>();
  readonly #stream = new AsyncLocalStorage<OpenCall>();
  readonly #hasStreams: boolean;

  /** `hasStreams`: each call has a stream of its own. */
  constructor(hasStreams: boolean) {
    this.#hasStreams = hasStreams;
  }

  async during<T>(call: OpenCall, work: () => Promise<T>): Promise<T> {
    this.#open.add(call);
    try {
      return await (this.#hasStreams ? this.#stream.run(call, work) : work());
    } finally {
      this.#open.delete(call);
    }
  }

  /** Undefined when there is no call, or it is ambiguous. */
  current(): OpenCall | undefined {
    const own = this.#hasStreams ? this.#stream.getStore() : undefined;
    if (own && this.#open.has(own)) return own;
    const [first, ...others] = this.#open;
    return others.length === 0 ? first : undefined;
  }

  /** Runs `work` outside the context of any call. */
  apart<T>(work: () => T): T {
    return this.#hasStreams ? this.#stream.exit(work) : work();
  }
}

/** How long a server may take to end the stream of a cancelled request. */
const GRACE_MS = 5_000;
/** Recognized by the identity of `data`, which no error of a server has. */
const STREAM_END = { code: -32_000, message: 'The stream ended before the answer came', data: {} };

export function isStreamEnd(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError && error.data === STREAM_END.data;
}

const TOO_DEEP = {
  code: -32_000,
  message: `The message is nested more than ${MAX_NESTING} levels deep`,
  data: {},
};
/** In place of an answer that was not parsed. */
export const TOO_MANY_VALUES = {
  code: -32_000,
  message: `The message has more than ${MAX_VALUES} values, or more than ${MAX_NAMES} names in one object`,
  data: {},
};

/** In place of an answer that would take too long to check. */
export const TOO_MANY_PARTS = { code: -32_000, message: 'The message has too many parts', data: {} };

const REFUSED: readonly unknown[] = [TOO_DEEP.data, TOO_MANY_VALUES.data, TOO_MANY_PARTS.data];

/** An answer that nobody should have to walk. */
export function isUnwalkable(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError && REFUSED.includes(error.data);
}

type RefusedError = typeof TOO_DEEP;

/** Takes out of a message what no reader should walk: an answer becomes an error, anything else loses its parameters. */
export function refuse(message: JSONRPCMessage, error: RefusedError): void {
  const parts = message as { result?: unknown; error?: unknown; params?: unknown };
  if ('method' in message) {
    parts.params = {};
    return;
  }
  delete parts.result;
  parts.error = error;
}

/**
 * Counts late answers to cancelled requests (the SDK drops them), closes the stream of a cancelled request if the server
 * does not, and fails a request whose stream has ended. Must be called before the transport is connected. The requests of
 * a process have no streams of their own.
 */
export function watchInFlight(transport: Transport, { hasStreams }: { hasStreams: boolean }): () => number {
  const awaited = new Map<string | number, AbortController | undefined>();
  let late = 0;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(message, note(message, options));
  const present = transport.onmessage;
  // The SDK calls the present handler before its own.
  transport.onmessage = (message, extra) => {
    if (isNestedDeeper(message)) refuse(message, TOO_DEEP);
    if (!('method' in message) && message.id !== undefined && !awaited.delete(message.id)) late++;
    present?.(message, extra);
  };
  return () => late;

  function note(message: JSONRPCMessage, options?: TransportSendOptions): TransportSendOptions | undefined {
    if (!('method' in message)) return options;
    if (!('id' in message)) {
      if (message.method === 'notifications/cancelled') giveUp(message.params?.requestId);
      return options;
    }
    const { id } = message;
    const stream = hasStreams ? new AbortController() : undefined;
    awaited.set(id, stream);
    if (!stream) return options;
    options?.requestSignal?.addEventListener('abort', () => awaited.delete(id), { once: true });
    return {
      ...options,
      requestSignal: options?.requestSignal ?? stream.signal,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.();
        if (awaited.has(id)) transport.onmessage?.({ jsonrpc: '2.0', id, error: STREAM_END });
      },
    };
  }

  function giveUp(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const stream = awaited.get(id);
    awaited.delete(id);
    if (stream) setTimeout(() => stream.abort(), GRACE_MS).unref();
  }
}
