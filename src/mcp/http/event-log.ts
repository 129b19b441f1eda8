/**
 * What sessions were told lately, so that a client whose stream broke can ask for the rest. All logs share one
 * budget of bytes; when it is used up, the oldest events go, whosever they are. Who comes back too late is told
 * to begin anew.
 */
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

const MOST_EVENTS_PER_SESSION = 200;
/** What the SDK stores for an event without data. */
const NOTHING = {} as JSONRPCMessage;

interface LoggedEvent {
  readonly id: number;
  readonly stream: string;
  readonly bytes: number;
  /** Undefined when it has been dropped. */
  message: JSONRPCMessage | undefined;
}

export interface EventLog extends EventStore {
  /** The id of an event that says nothing, to go on from. */
  prime(stream: string): string;
  /** The session is over. */
  clear(): void;
}

export class EventLogs {
  readonly #budget: number;
  #bytes = 0;
  /** Over all sessions, oldest first. */
  #queue: LoggedEvent[] = [];
  #first = 0;
  #kept = 0;
  #next = 1;

  constructor(budgetBytes: number) {
    this.#budget = budgetBytes;
  }

  open(): EventLog {
    let events: LoggedEvent[] = [];
    const kept = () => events.filter(({ message }) => message !== undefined);
    const add = (stream: string, message: JSONRPCMessage) => {
      const event = this.#add(stream, message);
      events.push(event);
      const isOver = () => events.length > MOST_EVENTS_PER_SESSION || !events[0]?.message;
      while (events.length > 0 && isOver()) this.#drop(events.shift());
      return String(event.id);
    };
    return {
      storeEvent: async (stream, message) => add(stream, message),
      prime: (stream) => add(stream, NOTHING),
      getStreamIdForEventId: async (id) => kept().find((event) => String(event.id) === id)?.stream,
      replayEventsAfter: async (lastId, { send }) => {
        const last = kept().find((event) => String(event.id) === lastId);
        if (!last) return '';
        for (const event of kept().filter(({ id, stream }) => id > last.id && stream === last.stream))
          if (event.message && !isPrimer(event.message)) await send(String(event.id), event.message);
        return last.stream;
      },
      clear: () => {
        for (const event of events) this.#drop(event);
        events = [];
      },
    };
  }

  #add(stream: string, message: JSONRPCMessage): LoggedEvent {
    const event: LoggedEvent = { id: this.#next++, stream, message, bytes: JSON.stringify(message).length };
    this.#queue.push(event);
    this.#kept++;
    this.#bytes += event.bytes;
    while (this.#bytes > this.#budget && this.#first < this.#queue.length)
      this.#drop(this.#queue[this.#first++]);
    this.#shorten();
    return event;
  }

  #drop(event: LoggedEvent | undefined): void {
    if (!event?.message) return;
    event.message = undefined;
    this.#kept--;
    this.#bytes -= event.bytes;
  }

  /** Forgets what was dropped, now and then. It may be anywhere: a quiet session keeps its old events. */
  #shorten(): void {
    if (this.#queue.length < 1_000 || this.#kept > this.#queue.length / 2) return;
    this.#queue = this.#queue.filter(({ message }) => message !== undefined);
    this.#first = 0;
  }
}

/** It was there to go on from; sent again, it would be a message that is none. */
function isPrimer(message: JSONRPCMessage): boolean {
  return !('jsonrpc' in message);
}
