/**
 * The messages of a session that belong to no request. One replica at a time, the speaker, adds them to the session's
 * events; what it could not add before another one took over goes to that one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Log } from '../../../shared/log.ts';
import { withReplica } from './replica-ids.ts';
import { GET_STREAM, type SessionStore } from './store.ts';
import type { ListenStream } from './streams.ts';

/** Messages that wait for a database that is away. */
const MOST_WAITING = 256;
const RETRY_MS = 500;
/** How often a message is sent to the speaker that is not there: after an outage, no replica was seen for a while. */
const MOST_SENDS = 40;
/** How long a closing session waits until its last messages are stored. */
const LAST_MS = 1_000;

interface PushOptions {
  readonly key: string;
  readonly store: Pick<SessionStore, 'replica' | 'push' | 'send'>;
  readonly log: Log;
  readonly onEvent: (stream: number, bytes: number) => void;
}

export class SessionPushes {
  readonly #options: PushOptions;
  #isSpeaker = false;
  #count = 0;
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isClosed = false;
  /** Where the client hears them, when it listens to this replica. */
  stream: ListenStream | undefined;

  constructor(options: PushOptions) {
    this.#options = options;
  }

  get isSpeaker(): boolean {
    return this.#isSpeaker;
  }

  /** How many were added so far. */
  get count(): number {
    return this.#count;
  }

  /** This replica speaks for the session from now on, after so many messages; `isTaken` when another one did before. */
  speak(count: number, isTaken = true): void {
    if (this.stream) this.stream.isReplaced = true;
    this.#endStream();
    // What is being added is not in its own count yet.
    if (!this.#isSpeaker || isTaken) this.#count = count;
    this.#isSpeaker = true;
  }

  /** Another replica speaks for the session from now on. */
  quiet(): void {
    this.#isSpeaker = false;
    this.#endStream();
  }

  /** Adds a message, unless another replica speaks for the session: that one has noticed the same. */
  add(message: JSONRPCMessage): Promise<void> {
    if (!this.#isSpeaker || this.#isClosed) return Promise.resolve();
    return this.#enqueue(withReplica(message, this.#options.store.replica));
  }

  /** Adds what the former speaker had noticed and could not add any more, or gives it to the next one. */
  accept(message: JSONRPCMessage): Promise<void> {
    return this.#enqueue(message);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    await Promise.race([this.#tail, sleep(LAST_MS, undefined, { ref: false })]);
    this.#isClosed = true;
    this.#endStream();
  }

  #endStream(): void {
    this.stream?.close();
    this.stream = undefined;
  }

  #enqueue(message: JSONRPCMessage): Promise<void> {
    if (this.#waiting >= MOST_WAITING) {
      this.#options.log('warn', 'a notification was dropped: the database does not take it');
      return Promise.resolve();
    }
    this.#waiting++;
    this.#tail = this.#tail
      .then(() => this.#store(message))
      .finally(() => {
        this.#waiting--;
      });
    return this.#tail;
  }

  async #store(message: JSONRPCMessage): Promise<void> {
    const { key, store, log } = this.#options;
    for (let sends = 0; !this.#isClosed && sends < MOST_SENDS; ) {
      try {
        if (this.#isSpeaker) {
          if (await this.#push(message)) return;
          this.quiet();
          continue;
        }
        if (await store.send(key, 'speaker', message)) return;
        sends++;
      } catch (error) {
        log('debug', 'a notification waits for the database', { error: String(error) });
      }
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }

  /** False when another replica speaks for the session. */
  async #push(message: JSONRPCMessage): Promise<boolean> {
    const { key, store, onEvent } = this.#options;
    const data = JSON.stringify(message);
    const seq = this.#count + 1;
    if (!(await store.push(key, seq, data))) return false;
    this.#count = Math.max(this.#count, seq);
    onEvent(GET_STREAM, data.length);
    this.stream?.pump();
    return true;
  }
}
