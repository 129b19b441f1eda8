/**
 * The latest events of sessions, so that a client whose stream broke can ask for the rest. All logs share one budget of
 * bytes; when it is used up, the oldest events of the caller who holds most of it are evicted. A client that comes back
 * too late has to begin anew.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

const MOST_EVENTS_PER_SESSION = 200;
/** The SDK stores this for an event without data. */
const NOTHING = {} as JSONRPCMessage;

interface LoggedEvent {
  /** A sequence number over all sessions. */
  readonly order: number;
  /** As clients see it. */
  readonly id: string;
  readonly stream: string;
  /** The caller it was for. */
  readonly owner: string;
  readonly bytes: number;
  /** Undefined once it is evicted. */
  message: JSONRPCMessage | undefined;
}

export interface EventLog extends EventStore {
  /** Stores an event without data, from which a stream can be resumed, and returns its id. */
  prime(stream: string): string;
  clear(): void;
}

/** The events of one caller's sessions, oldest first. */
interface OwnerEvents {
  bytes: number;
  queue: LoggedEvent[];
  /** Index of the first that may not have been evicted. */
  first: number;
  kept: number;
}

export class EventLogs {
  readonly #budget: number;
  #bytes = 0;
  readonly #owners = new Map<string, OwnerEvents>();
  #next = 1;

  constructor(budgetBytes: number) {
    this.#budget = budgetBytes;
  }

  /** With `named`, ids contain the stream's number: `p2.0`, `p2.1`. `owner` is the caller of the session. */
  open({ named = false, owner = '' }: { named?: boolean; owner?: string } = {}): EventLog {
    let events: LoggedEvent[] = [];
    let streams = 0;
    const nextId = (stream: string) => {
      const last = events.findLast((event) => event.stream === stream);
      const { 1: name, 2: count } = /^p(\d+)\.(\d+)$/.exec(last?.id ?? '') ?? [];
      return name === undefined ? `p${++streams}.0` : `p${name}.${Number(count) + 1}`;
    };
    const kept = () => events.filter(({ message }) => message !== undefined);
    const add = (stream: string, message: JSONRPCMessage) => {
      const event = this.#add(stream, message, { id: named ? nextId(stream) : undefined, owner });
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

  #add(stream: string, message: JSONRPCMessage, { id, owner }: { id: string | undefined; owner: string }) {
    const order = this.#next++;
    const bytes = JSON.stringify(message).length;
    const event: LoggedEvent = { order, id: id ?? String(order), stream, owner, message, bytes };
    const events = this.#owners.get(owner) ?? { bytes: 0, queue: [], first: 0, kept: 0 };
    this.#owners.set(owner, events);
    events.queue.push(event);
    events.kept++;
    events.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#budget && this.#dropOldestOfGreediest());
    this.#shorten(events);
    return event;
  }

  #dropOldestOfGreediest(): boolean {
    let greediest: OwnerEvents | undefined;
    for (const events of this.#owners.values())
      if (!greediest || events.bytes > greediest.bytes) greediest = events;
    if (!greediest || greediest.first >= greediest.queue.length) return false;
    this.#drop(greediest.queue[greediest.first++]);
    return true;
  }

  #drop(event: LoggedEvent | undefined): void {
    if (!event?.message) return;
    event.message = undefined;
    this.#bytes -= event.bytes;
    const events = this.#owners.get(event.owner);
    if (!events) return;
    events.kept--;
    events.bytes -= event.bytes;
    if (events.kept === 0) this.#owners.delete(event.owner);
  }

  /** Compacts the queue now and then. Evicted events may be anywhere in it: a quiet session keeps its old ones. */
  #shorten(events: OwnerEvents): void {
    if (events.queue.length < 1_000 || events.kept > events.queue.length / 2) return;
    events.queue = events.queue.filter(({ message }) => message !== undefined);
    events.first = 0;
  }
}

/** Events without data are not replayed: they are not messages. */
function isPrimer(message: JSONRPCMessage): boolean {
  return !('jsonrpc' in message);
}

/** The first version whose clients know events without data. */
export const KNOWS_PRIMERS = '2025-11-25';
/** The SDK's name of the stream that a GET opens. */
const GET_STREAM = '_GET_stream';

/**
 * The stream that a GET opens begins with an event that has only an id, so that a client whose stream breaks before the
 * first message can resume it. The SDK does this for streams that answer a POST, and not for this one.
 */
export function beginWithPrimer(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  events: Pick<EventLog, 'prime'>,
  retryMs: number,
): void {
  const isContinued = headers['last-event-id'] !== undefined;
  if (method !== 'GET' || isContinued || headers['mcp-protocol-version'] !== KNOWS_PRIMERS) return;
  const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => ServerResponse;
  // The SDK writes the head and some time later the first message: this is the only place in between.
  response.writeHead = (...head: unknown[]) => {
    writeHead(...head);
    if (response.statusCode === 200)
      response.write(`id: ${events.prime(GET_STREAM)}\nretry: ${retryMs}\ndata: \n\n`);
    return response;
  };
}
