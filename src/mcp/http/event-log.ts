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
  /** Over all sessions. */
  readonly order: number;
  /** As clients see it. */
  readonly id: string;
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

  /** With `named`, ids say which stream of the session they are of: `p2.0`, `p2.1`. */
  open({ named = false }: { named?: boolean } = {}): EventLog {
    let events: LoggedEvent[] = [];
    let streams = 0;
    const nextId = (stream: string) => {
      const last = events.findLast((event) => event.stream === stream);
      const { 1: name, 2: count } = /^p(\d+)\.(\d+)$/.exec(last?.id ?? '') ?? [];
      return name === undefined ? `p${++streams}.0` : `p${name}.${Number(count) + 1}`;
    };
    const kept = () => events.filter(({ message }) => message !== undefined);
    const add = (stream: string, message: JSONRPCMessage) => {
      const event = this.#add(stream, message, named ? nextId(stream) : undefined);
      events.push(event);
      const isOver = () => events.length > MOST_EVENTS_PER_SESSION || !events[0]?.message;
      while (events.length > 0 && isOver()) this.#drop(events.shift());
      return event.id;
    };
    return {
      storeEvent: async (stream, message) => add(stream, message),
      prime: (stream) => add(stream, NOTHING),
      getStreamIdForEventId: async (id) => kept().find((event) => event.id === id)?.stream,
      replayEventsAfter: async (lastId, { send }) => {
        const last = kept().find((event) => event.id === lastId);
        if (!last) return '';
        for (const event of kept().filter(
          ({ order, stream }) => order > last.order && stream === last.stream,
        ))
          if (event.message && !isPrimer(event.message)) await send(event.id, event.message);
        return last.stream;
      },
      clear: () => {
        for (const event of events) this.#drop(event);
        events = [];
      },
    };
  }

  #add(stream: string, message: JSONRPCMessage, named: string | undefined): LoggedEvent {
    const order = this.#next++;
    const bytes = JSON.stringify(message).length;
    const event: LoggedEvent = { order, id: named ?? String(order), stream, message, bytes };
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
