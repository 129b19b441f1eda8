/**
 * Event streams that are written from stored events: the one for what belongs to no request, and those that a client
 * resumes. Whichever replica added an event, each is sent once and in order.
 */
import type { ServerResponse } from 'node:http';
import type { Log } from '../../../shared/log.ts';
import { GET_STREAM, type SessionStore, type StoredEvent } from './store.ts';

const KEEP_ALIVE_MS = 15_000;
/** A client that does not read is disconnected before its messages fill the memory; it may come back. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;
/** How often a stream is read again without a notification. */
const LOOK_MS = 1_000;

const LOST = {
  code: -32_603,
  message:
    'The server that ran this request was stopped before it answered. A request that only reads can be sent again; for a change, look first whether it was made.',
  data: { reason: 'replica_lost' },
};

/** An open response for events. */
export class EventWriter {
  readonly #response: ServerResponse;
  readonly #keepAlive: NodeJS.Timeout;

  constructor(response: ServerResponse, sessionId: string, keepAliveMs = KEEP_ALIVE_MS) {
    this.#response = response;
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
      'Mcp-Session-Id': sessionId,
    });
    response.flushHeaders();
    this.#keepAlive = setInterval(() => this.write(': keepalive\n\n'), keepAliveMs).unref();
    response.once('close', () => clearInterval(this.#keepAlive));
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  write(text: string): void {
    if (!this.isOpen) return;
    if (this.#response.writableLength > MOST_WAITING_BYTES) this.#response.destroy();
    else this.#response.write(text);
    // A write is a keep-alive, too.
    this.#keepAlive.refresh();
  }

  /** Without an id, it cannot be resumed from. */
  event(message: unknown, id?: string): void {
    const line = id === undefined ? '' : `id: ${id}\n`;
    this.write(`event: message\n${line}data: ${JSON.stringify(message)}\n\n`);
  }

  primer(id: string, retryMs: number): void {
    this.write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`);
  }

  end(): void {
    clearInterval(this.#keepAlive);
    this.#response.end();
  }
}

interface ListenStreamParts {
  readonly key: string;
  readonly number: number;
  /** How many messages the client has had. */
  readonly sent: number;
  /** How many there are. */
  readonly pushed: () => number;
  readonly store: Pick<SessionStore, 'after'>;
  readonly writer: EventWriter;
  readonly log: Log;
}

/** The stream of a session for what belongs to no request. */
export class ListenStream {
  readonly #parts: ListenStreamParts;
  #sent: number;
  #pumping: Promise<void> | undefined;
  /** Its session has another one on this replica, which is the one that is open. */
  isReplaced = false;

  constructor(parts: ListenStreamParts) {
    this.#parts = parts;
    this.#sent = parts.sent;
  }

  get sent(): number {
    return this.#sent;
  }

  get isOpen(): boolean {
    return this.#parts.writer.isOpen;
  }

  /** Sends what is there by now. */
  pump(): void {
    this.#pumping ??= this.#catchUp()
      .catch((error: unknown) => {
        this.#parts.log('warn', 'events of a session could not be read', { error: String(error) });
        setTimeout(() => this.pump(), LOOK_MS).unref();
      })
      .finally(() => {
        this.#pumping = undefined;
        if (this.isOpen && this.#sent < this.#parts.pushed()) setImmediate(() => this.pump());
      });
  }

  async #catchUp(): Promise<void> {
    const { key, number, pushed, store, writer } = this.#parts;
    while (this.isOpen && this.#sent < pushed()) {
      const until = pushed();
      const events = await store.after(key, GET_STREAM, this.#sent);
      for (const { seq, message } of events) {
        writer.event(message, `g${number}.${seq}`);
        this.#sent = seq;
      }
      // What is not there any more was too old, or too much.
      if (events.length === 0) this.#sent = until;
    }
  }

  close(): void {
    this.#parts.writer.end();
  }
}

interface ResumeParts {
  readonly key: string;
  readonly sessionId: string;
  readonly stream: number;
  /** The last event that the client has seen. */
  readonly after: number;
  readonly store: Pick<SessionStore, 'follow' | 'lose'>;
  /** Calls the function when the stream may have another event, until the returned one is called. */
  readonly onEvent: (wake: () => void) => () => void;
  readonly keepAliveMs?: number;
}

/** Goes on with the stream of a request, wherever the request runs. False when the event is unknown. */
export async function resumeStream(response: ServerResponse, parts: ResumeParts): Promise<boolean> {
  const { key, sessionId, stream, store, onEvent, keepAliveMs } = parts;
  let wake = () => {};
  const stop = onEvent(() => wake());
  try {
    let last = parts.after;
    let found = await store.follow(key, stream, last);
    if (!found.isKnown) return false;
    const writer = new EventWriter(response, sessionId, keepAliveMs);
    response.once('close', () => wake());
    while (writer.isOpen) {
      last = writeAll(writer, stream, found.events) ?? last;
      if (found.state === 'over') break;
      if (found.state === 'lost') await store.lose(key, stream, LOST);
      else if (found.events.length === 0)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, LOOK_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      found = await store.follow(key, stream, last);
    }
    writer.end();
    return true;
  } finally {
    stop();
  }
}

/** The number of the last event. */
function writeAll(writer: EventWriter, stream: number, events: readonly StoredEvent[]): number | undefined {
  for (const { seq, message } of events) if (message) writer.event(message, `p${stream}.${seq}`);
  return events.at(-1)?.seq;
}
