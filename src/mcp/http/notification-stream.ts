/**
 * Notifications of a session that belong to no request, on the one stream it may have open for them. They are buffered
 * while no stream is open, and replayed to a client that reconnects with the last event it saw. The first part of an
 * event's id is the stream, the second counts over the whole session.
 */
import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';

export interface StreamLimits {
  readonly messages: number;
  readonly ageMs: number;
  readonly bytes: number;
  readonly retryMs: number;
  readonly keepAliveMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  messages: 256,
  ageMs: 10 * 60_000,
  bytes: 4 * 1024 * 1024,
  retryMs: 3_000,
  keepAliveMs: 15_000,
};

/** A client that does not read is disconnected before its messages fill the memory; it may come back. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;
const EVENT_ID = /^g([1-9]\d{0,8})\.(0|[1-9]\d{0,14})$/;

interface BufferedMessage {
  readonly at: number;
  readonly data: string;
}

interface OpenStream {
  readonly number: number;
  readonly response: ServerResponse;
  readonly keepAlive: NodeJS.Timeout;
}

export class NotificationStream {
  readonly #limits: StreamLimits;
  readonly #headers: Readonly<Record<string, string>>;
  /** The latest messages, in order. */
  #buffer: BufferedMessage[] = [];
  #bufferedBytes = 0;
  /** Count of all messages. */
  #pushed = 0;
  /** How many of them were written to a stream. */
  #sent = 0;
  #streams = 0;
  #open: OpenStream | undefined;

  constructor(limits: StreamLimits, headers: Readonly<Record<string, string>> = {}) {
    this.#limits = limits;
    this.#headers = headers;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  push(message: JSONRPCMessage): void {
    const data = JSON.stringify(message);
    this.#pushed++;
    this.#buffer.push({ at: Date.now(), data });
    this.#bufferedBytes += data.length;
    this.#evict();
    if (this.#open) this.#catchUp(this.#open);
  }

  /** Opens a new stream, which begins with the messages that were never sent. */
  begin(response: ServerResponse): void {
    const stream = this.#serve(response, ++this.#streams);
    this.#write(stream, `id: g${stream.number}.${this.#sent}\nretry: ${this.#limits.retryMs}\ndata: \n\n`);
    this.#reportGap(stream, this.#sent);
    this.#catchUp(stream);
  }

  /** Goes on after an event, on a stream that replaces the open one; false when this session never sent the event. */
  resume(response: ServerResponse, lastEventId: string): boolean {
    const { 1: number = '', 2: count = '' } = EVENT_ID.exec(lastEventId) ?? [];
    const seen = Number(count);
    if (number === '' || Number(number) > this.#streams || seen > this.#sent) return false;
    this.close();
    const stream = this.#serve(response, Number(number));
    this.#reportGap(stream, seen);
    this.#sent = seen;
    this.#catchUp(stream);
    return true;
  }

  close(): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    clearInterval(open.keepAlive);
    open.response.end();
  }

  #serve(response: ServerResponse, number: number): OpenStream {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
      ...this.#headers,
    });
    response.flushHeaders();
    const keepAlive = setInterval(
      () => this.#write(stream, ': keepalive\n\n'),
      this.#limits.keepAliveMs,
    ).unref();
    const stream: OpenStream = { number, response, keepAlive };
    response.once('close', () => {
      clearInterval(keepAlive);
      if (this.#open === stream) this.#open = undefined;
    });
    this.#open = stream;
    return stream;
  }

  #catchUp(stream: OpenStream): void {
    this.#evict();
    const gone = this.#pushed - this.#buffer.length;
    for (let at = Math.max(this.#sent, gone); at < this.#pushed; at++) {
      const data = this.#buffer[at - gone]?.data;
      this.#write(stream, `event: message\nid: g${stream.number}.${at + 1}\ndata: ${data}\n\n`);
    }
    this.#sent = this.#pushed;
  }

  /** Without an id: the report is about this stream only, and cannot be resumed from. */
  #reportGap(stream: OpenStream, seen: number): void {
    this.#evict();
    const missed = this.#pushed - this.#buffer.length - seen;
    if (missed <= 0) return;
    this.#write(stream, `event: message\ndata: ${JSON.stringify(replayGap(missed))}\n\n`);
  }

  #evict(): void {
    const { messages, ageMs, bytes } = this.#limits;
    const oldest = Date.now() - ageMs;
    const isTooMuch = () =>
      this.#buffer.length > messages ||
      this.#bufferedBytes > bytes ||
      (this.#buffer[0]?.at ?? oldest) < oldest;
    while (this.#buffer.length > 0 && isTooMuch())
      this.#bufferedBytes -= this.#buffer.shift()?.data.length ?? 0;
  }

  #write({ response, keepAlive }: OpenStream, text: string): void {
    if (response.destroyed || response.writableEnded) return;
    if (response.writableLength > MOST_WAITING_BYTES) response.destroy();
    else response.write(text);
    // A write is a keep-alive, too.
    keepAlive.refresh();
  }
}

/** Tells a client how many messages of its stream are lost for good. */
export function replayGap(missed: number): object {
  const params = { level: 'warning', logger: 'session', data: { event: 'replay_gap', missed } };
  return { jsonrpc: '2.0', method: 'notifications/message', params };
}
