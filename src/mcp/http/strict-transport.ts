/**
 * Between a session's server and the SDK's transport. A request that its client gives up is answered at once, so that
 * the stream that waits for the answer ends; and what the server says unasked goes where it can wait.
 */

import type { JSONRPCMessage, MessageExtraInfo, RequestId, Transport } from '@modelcontextprotocol/server';
import { asOf2025 } from './strict-errors.ts';

const CANCELLED = -32_800;

export class StrictTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  readonly #inner: Transport;
  readonly #tell: (message: JSONRPCMessage) => void;
  /** Requests without an answer, and what they ask for. */
  readonly #running = new Map<RequestId, string>();

  constructor(inner: Transport, tell: (message: JSONRPCMessage) => void) {
    this.#inner = inner;
    this.#tell = tell;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message, extra) => this.#receive(message, extra);
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    await this.#inner.start();
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.#inner.setSupportedProtocolVersions?.(versions);
  }

  async send(message: JSONRPCMessage, options?: Parameters<Transport['send']>[1]): Promise<void> {
    if (!('method' in message)) return this.#answer(message);
    if (options?.relatedRequestId === undefined) this.#tell(message);
    else await this.#inner.send(message, options);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  /** What was answered for the client's sake is not answered again. */
  async #answer(message: Exclude<JSONRPCMessage, { method: string }>): Promise<void> {
    const id = message.id as RequestId;
    const method = this.#running.get(id);
    if (!this.#running.delete(id)) return;
    await this.#inner.send('error' in message ? asOf2025(message, method) : message);
  }

  #receive(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if ('method' in message && 'id' in message) this.#running.set(message.id, message.method);
    this.onmessage?.(message, extra);
    if ('method' in message && message.method === 'notifications/cancelled') this.#giveUp(message.params);
  }

  /** Those that are unknown, over, or cannot be given up are none of its business. */
  #giveUp(params: { readonly [name: string]: unknown } | undefined): void {
    const { requestId, reason } = params ?? {};
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    if ((this.#running.get(requestId) ?? 'initialize') === 'initialize') return;
    this.#running.delete(requestId);
    const data = { ...(typeof reason === 'string' && { reason }) };
    const error = { code: CANCELLED, message: 'Request cancelled', data };
    this.#inner.send({ jsonrpc: '2.0', id: requestId, error }).catch((failure: unknown) => {
      this.onerror?.(failure instanceof Error ? failure : new Error(String(failure)));
    });
  }
}
