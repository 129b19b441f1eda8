/**
 * Keeps count of the requests that are out: answers that come after their request was given up are counted (the
 * SDK drops them), the stream of such a request is closed when the server does not do it, and a request whose
 * stream has ended for good does not wait for an answer that cannot come.
 */
import {
  type JSONRPCMessage,
  ProtocolError,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';

/** How long a server may take to end the stream of a request that was cancelled. */
const GRACE_MS = 5_000;
const STREAM_END = { code: -32_000, message: 'The stream ended before the answer came' };

export function isStreamEnd(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError && error.message === STREAM_END.message;
}

/** To be called before the transport is connected. Returns the number of late answers. */
export function watchInFlight(transport: Transport, graceMs: number = GRACE_MS): () => number {
  const awaited = new Map<string | number, AbortController>();
  let late = 0;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(message, note(message, options));
  // The SDK calls what it finds here before it looks at a message itself.
  transport.onmessage = (message) => {
    if (!('method' in message) && message.id !== undefined && !awaited.delete(message.id)) late++;
  };
  return () => late;

  function note(message: JSONRPCMessage, options?: TransportSendOptions): TransportSendOptions | undefined {
    if (!('method' in message)) return options;
    if (!('id' in message)) {
      if (message.method === 'notifications/cancelled') giveUp(message.params?.requestId);
      return options;
    }
    const { id } = message;
    const stream = new AbortController();
    awaited.set(id, stream);
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
    if (stream) setTimeout(() => stream.abort(), graceMs).unref();
  }
}
