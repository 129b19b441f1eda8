/**
 * Sessions and their events where several replicas share them. Each request of a session may reach another replica, so
 * everything that outlives a request is here, and what two of them want at once is decided here.
 */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import type { Principal } from '../../../shared/principal.ts';

/** The stream for what belongs to no request. */
export const GET_STREAM = 0;

export interface SessionRecord {
  readonly key: string;
  /** Id of the caller. */
  readonly owner: string;
  /** The parameters of `initialize`. */
  readonly opening: Readonly<Record<string, unknown>>;
  /** Whether the client has sent `notifications/initialized`. */
  readonly isReady: boolean;
  readonly logLevel: string | undefined;
  /** URIs as the client wrote them. */
  readonly subscriptions: readonly string[];
  /** Counts the changes of the last three. */
  readonly version: number;
  /** The replica that sends what belongs to no request. */
  readonly speaker: string;
  readonly pushed: number;
}

export interface SessionChange {
  readonly isReady?: true;
  readonly logLevel?: string;
  readonly subscribed?: string;
  readonly unsubscribed?: string;
}

export interface StoredEvent {
  readonly seq: number;
  /** Undefined for an event that has only an id. */
  readonly message: JSONRPCMessage | undefined;
  readonly ageMs: number;
}

/** Requests that begin together share a stream. */
export interface NewCalls {
  readonly stream: number;
  readonly requests: readonly RequestId[];
  /** Whether the stream begins with an event that has only an id: number 0. */
  readonly hasPrimer: boolean;
}

export type BegunCalls =
  | { readonly version: number }
  | 'unknown_session'
  /** A request with such an id has no answer yet. */
  | { readonly repeated: RequestId };

export interface OpenedStream {
  /** How many streams of its kind the session has had. */
  readonly number: number;
  /** How many messages were meant for it, and how many of them were sent. */
  readonly pushed: number;
  readonly sent: number;
  /** Whether another replica spoke for the session before, and how long ago it was seen for certain. */
  readonly taken: TakenSession | undefined;
}

/** What is known of the replica that spoke for a session before. */
export interface TakenSession {
  /** This one itself, when it has not looked back yet. */
  readonly replica: string;
  /** How long ago it was seen. */
  readonly agoMs: number;
  /** By the clock of the database, in milliseconds. */
  readonly seenAt: number;
  /** For how long changes may not have been told: longer than it was away, when it had not looked back either. */
  readonly behindMs: number;
}

export interface FollowedStream {
  /** Whether the event that was asked for is still there. */
  readonly isKnown: boolean;
  /** Events after the one that was asked for, in order. */
  readonly events: readonly StoredEvent[];
  /** `lost` when the replica that ran its requests is gone. */
  readonly state: 'running' | 'over' | 'lost';
}

/** Where a message of a client belongs. */
export type MessageTarget =
  | { readonly replica: string }
  /** The replica that runs this request. */
  | { readonly request: RequestId }
  /** The replica that speaks for the session. */
  | 'speaker'
  /** All replicas but this one. */
  | 'others';

export interface StoreEvents {
  /** A client's message for this replica. */
  message(key: string, message: JSONRPCMessage, caller: Principal | undefined): void;
  /** A session is over, has changed, or has another speaker. */
  changed(key: string): void;
  /** A stream that this replica follows has another event. */
  event(key: string, stream: number): void;
  /** Anything may have changed meanwhile. */
  gap(): void;
}

export interface SessionStore {
  /** A short name of this replica, which no other one has. */
  readonly replica: string;
  /** False when all places are taken, and the caller has its share. */
  open(session: { key: string; owner: string; opening: unknown }, most: number): Promise<boolean>;
  /** Undefined also for a session of another caller. */
  find(key: string, owner: string): Promise<SessionRecord | undefined>;
  /** Those of the sessions that still exist. */
  findAll(keys: readonly string[]): Promise<readonly SessionRecord[]>;
  /** The version that the session has afterwards. */
  change(key: string, change: SessionChange): Promise<number | undefined>;
  end(key: string): Promise<void>;
  begin(key: string, owner: string, calls: NewCalls): Promise<BegunCalls>;
  /** Requests that will not be answered. */
  forget(key: string, requests: readonly RequestId[]): Promise<void>;
  /** Forgets all requests of this replica but those on these streams. */
  forgetBut(streams: readonly number[]): Promise<void>;
  /** False when another replica has given the request up. `data` is the message, `answers` the request that it ends. */
  add(
    key: string,
    event: { stream: number; seq: number; data: string; answers: RequestId | undefined },
  ): Promise<boolean>;
  /** Adds a message that belongs to no request; false when this replica does not speak for the session. */
  push(key: string, seq: number, data: string): Promise<boolean>;
  /** Events after one, in order; not all of them when they are many. */
  after(key: string, stream: number, seq: number): Promise<readonly StoredEvent[]>;
  /** Opens the stream for what belongs to no request, or takes it over after one of its events. */
  listen(
    key: string,
    owner: string,
    how: { readonly takesOver?: { readonly number: number; readonly seq: number } },
  ): Promise<
    | OpenedStream
    | 'unknown_session'
    | 'unknown_event'
    /** It is open on another replica, which was seen so long ago. */
    | { readonly busyForMs: number }
  >;
  /** When a replica was seen; undefined when it was stopped. */
  seenAt(replica: string): Promise<number | undefined>;
  /** The stream is closed, after so many messages. */
  unlisten(key: string, sent: number): Promise<void>;
  /** The speaker has told of all changes since another replica spoke. */
  caughtUp(key: string): Promise<void>;
  /** `event` is called for what is added from now on. */
  follow(key: string, stream: number, after: number): Promise<FollowedStream>;
  /** Ends the requests of a stream whose replica is gone with this error. */
  lose(key: string, stream: number, error: { code: number; message: string; data?: unknown }): Promise<void>;
  /** False when nobody waits for such a message. */
  send(key: string, target: MessageTarget, message: JSONRPCMessage, caller?: Principal): Promise<boolean>;
  /** Ends idle sessions, and forgets events that are old or too many. */
  sweep(limits: { idleMs: number; bufferedBytes: number; eventMs: number }): Promise<void>;
  watch(events: StoreEvents): () => void;
}
