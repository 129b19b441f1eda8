/**
 * What sessions were told lately, so that a client whose stream broke can ask for the rest. All logs share one
 * budget of bytes; when it is used up, the oldest events of the caller who has most of it go. Who comes back too
 * late is told to begin anew.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
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
  /** The caller it was for. */
  readonly owner: string;
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

/** What one caller's sessions were told, oldest first. */
interface OwnerEvents {
  bytes: number;
  queue: LoggedEvent[];
  /** Before this one all have been dropped. */
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

  /** With `named`, ids say which stream of the session they are of: `p2.0`, `p2.1`. `owner` is the caller it is for. */
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

  /** Forgets what was dropped, now and then. It may be anywhere: a quiet session keeps its old events. */
  #shorten(events: OwnerEvents): void {
    if (events.queue.length < 1_000 || events.kept > events.queue.length / 2) return;
    events.queue = events.queue.filter(({ message }) => message !== undefined);
    events.first = 0;
  }
}

/** It was there to go on from; sent again, it would be a message that is none. */
function isPrimer(message: JSONRPCMessage): boolean {
  return !('jsonrpc' in message);
}

/**
 * The stream for what a session is told unasked begins with an event that says nothing but its id, so that a client
 * whose stream breaks before anything was said can ask for what it missed. The SDK does this for streams that answer
 * a POST, and not for this one.
 */

/** The first version whose clients know events without data. */
const KNOWS_PRIMERS = '2025-11-25';
/** What the SDK calls this stream; the events it stores for it bear the name. */
const UNASKED = '_GET_stream';

export function beginWithPrimer(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  events: Pick<EventLog, 'prime'>,
  retryMs: number,
): void {
  const isContinued = headers['last-event-id'] !== undefined;
  if (method !== 'GET' || isContinued || headers['mcp-protocol-version'] !== KNOWS_PRIMERS) return;
  const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => ServerResponse;
  // The SDK writes the head and then, some time, what there is to say: this is the only place in between.
  response.writeHead = (...head: unknown[]) => {
    writeHead(...head);
    if (response.statusCode === 200)
      response.write(`id: ${events.prime(UNASKED)}\nretry: ${retryMs}\ndata: \n\n`);
    return response;
  };
}
