/**
 * What a session is told unasked, on the one stream it may have open for that. What nobody listens to waits; what
 * was said lately is said again to whoever lost the stream and names the last event it saw. The first part of an
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

/** A client that does not read is given up before what waits for it fills the memory; it may come back. */
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
  /** The last ones, in order. */
  #kept: BufferedMessage[] = [];
  #keptBytes = 0;
  /** How many have ever been said. */
  #said = 0;
  /** How many of them went out on some stream. */
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

  tell(message: JSONRPCMessage): void {
    const data = JSON.stringify(message);
    this.#said++;
    this.#kept.push({ at: Date.now(), data });
    this.#keptBytes += data.length;
    this.#forget();
    if (this.#open) this.#catchUp(this.#open);
  }

  /** A new stream: it begins with what nobody has heard yet. */
  begin(response: ServerResponse): void {
    const stream = this.#serve(response, ++this.#streams);
    this.#write(stream, `id: g${stream.number}.${this.#sent}\nretry: ${this.#limits.retryMs}\ndata: \n\n`);
    this.#tellOfGap(stream, this.#sent);
    this.#catchUp(stream);
  }

  /** Goes on after an event; false when this session never sent it. Whoever listened before is cut off. */
  resume(response: ServerResponse, lastEventId: string): boolean {
    const { 1: number = '', 2: count = '' } = EVENT_ID.exec(lastEventId) ?? [];
    const seen = Number(count);
    if (number === '' || Number(number) > this.#streams || seen > this.#sent) return false;
    this.close();
    const stream = this.#serve(response, Number(number));
    this.#tellOfGap(stream, seen);
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
    this.#forget();
    const gone = this.#said - this.#kept.length;
    for (let at = Math.max(this.#sent, gone); at < this.#said; at++) {
      const data = this.#kept[at - gone]?.data;
      this.#write(stream, `event: message\nid: g${stream.number}.${at + 1}\ndata: ${data}\n\n`);
    }
    this.#sent = this.#said;
  }

  /** Without an id: it is about this stream only, and nothing to go on from. */
  #tellOfGap(stream: OpenStream, seen: number): void {
    this.#forget();
    const missed = this.#said - this.#kept.length - seen;
    if (missed <= 0) return;
    const params = { level: 'warning', logger: 'session', data: { event: 'replay_gap', missed } };
    const message = { jsonrpc: '2.0', method: 'notifications/message', params };
    this.#write(stream, `event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  #forget(): void {
    const { messages, ageMs, bytes } = this.#limits;
    const oldest = Date.now() - ageMs;
    const isTooMuch = () =>
      this.#kept.length > messages || this.#keptBytes > bytes || (this.#kept[0]?.at ?? oldest) < oldest;
    while (this.#kept.length > 0 && isTooMuch()) this.#keptBytes -= this.#kept.shift()?.data.length ?? 0;
  }

  #write({ response, keepAlive }: OpenStream, text: string): void {
    if (response.destroyed || response.writableEnded) return;
    if (response.writableLength > MOST_WAITING_BYTES) response.destroy();
    else response.write(text);
    // Only silence needs a sign of life.
    keepAlive.refresh();
  }
}
