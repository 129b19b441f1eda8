/** One space on one server: how it was set up, what is on its disk, and what went on. */
import type { IncomingMessage } from 'node:http';
import type { Dialect } from './dialect.ts';
import type { Disk, Shortage } from './disk.ts';
import type { Events } from './events.ts';

/** The fate of one request instead of an answer. */
export type Fate =
  | { readonly kind: 'reset'; readonly applies: boolean }
  | { readonly kind: 'status'; readonly status: number; readonly applies: boolean }
  | { readonly kind: 'disk-full'; readonly shortage: Shortage }
  /** Stopped: the request is taken and answered when the process goes on. */
  | { readonly kind: 'frozen'; readonly until: Promise<unknown> }
  /** The answer breaks off in the middle. */
  | { readonly kind: 'half' }
  | { readonly kind: 'html' };

export interface Faults {
  /** How long an answer takes on its way. */
  latencyMs: () => number;
  fate: (request: { method: string; name: string; isForeign: boolean }) => Fate | undefined;
  /** An answer that is made arrives when this resolves. */
  onWay: (request: { method: string; name: string }) => Promise<unknown> | undefined;
}

/** A read or write, recorded in the order in which it happened. */
export interface RecordedAccess {
  /** A write begins with `put` and ends with `written`. */
  readonly kind: 'get' | 'put' | 'written' | 'delete';
  readonly name: string;
  /** By another client than the one being tested. */
  readonly isForeign: boolean;
  /** Of a write: what stood there when it began. */
  readonly before?: string | undefined;
  /** The text that was read, or was to be written. */
  readonly text?: string;
}

export interface Space {
  readonly dialect: Dialect;
  readonly token: string;
  /** Without one the server is open to all clients. */
  readonly user: { readonly name: string; readonly password: string } | undefined;
  readonly prefix: string;
  /** The folder the server reports for its files. */
  readonly folder: string;
  readonly readOnly: boolean;
  readonly shellBackend: string;
  readonly hasRuntime: boolean;
  readonly isAncient: boolean;
  readonly disk: Disk;
  readonly events: Events | undefined;
  readonly faults: Faults;
  readonly happenings: RecordedAccess[];
}

/** Marks the requests of a test's own editor. */
export const FOREIGN_HEADER = 'x-foreign';

export interface FakeRequest {
  readonly method: string;
  /** As it stood on the wire, without the prefix. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly isForeign: boolean;
}
