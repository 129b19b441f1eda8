/**
 * The streams of the HTTP+SSE transport of 2024-11-05 that several replicas have open. A message of a client may reach a
 * replica that does not have its stream: it is sent to the one that has.
 */
import { createHash } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Log } from '../../../shared/log.ts';
import { ownerOf, type Principal } from '../../../shared/principal.ts';
import type { SessionStore } from './store.ts';

/** Streams of a replica that is gone are forgotten after a while. */
const FORGET_MS = 60_000;

export interface SharedStream {
  receive(message: JSONRPCMessage, caller: Principal): void;
  end(): void;
}

export interface SharedStreams {
  /** False when there are too many, on all replicas together. */
  open(id: string, owner: string, most: number): Promise<boolean>;
  /** The stream gets the messages that reach other replicas. */
  serve(id: string, stream: SharedStream): void;
  ended(id: string): void;
  /** Sends a message to the replica that has the stream; false when none has. */
  send(id: string, message: JSONRPCMessage, caller: Principal): Promise<boolean>;
  close(): void;
}

export function createSharedStreams(store: SessionStore, log: Log): SharedStreams {
  const served = new Map<string, SharedStream>();
  const inBackground = (work: Promise<void>) =>
    void work.catch((error: unknown) =>
      log('warn', 'shared streams could not be looked after', { error: String(error) }),
    );
  const check = async (keys: readonly string[]) => {
    const mine = keys.filter((key) => served.has(key));
    if (mine.length === 0) return;
    const known = new Set((await store.findAll(mine)).map(({ key }) => key));
    for (const key of mine) if (!known.has(key)) served.get(key)?.end();
  };
  const unwatch = store.watch({
    message: (key, message, caller) => {
      if (caller) served.get(key)?.receive(message, caller);
    },
    changed: (key) => inBackground(check([key])),
    event: () => {},
    gap: () => inBackground(check([...served.keys()])),
  });
  /** Those that the database may still have as open. */
  const unended = new Set<string>();
  const end = async (key: string) => {
    unended.add(key);
    await store.end(key);
    unended.delete(key);
  };
  const sweep = async () => {
    for (const key of unended) await end(key);
    await store.sweep({ idleMs: FORGET_MS, bufferedBytes: 0, eventMs: FORGET_MS });
  };
  const sweeper = setInterval(() => inBackground(sweep()), FORGET_MS).unref();
  return {
    async open(id, owner, most) {
      const key = keyOf(id);
      if (!(await store.open({ key, owner, opening: {} }, most))) return false;
      // Its stream is open from the beginning.
      await store.listen(key, owner, {});
      return true;
    },
    serve: (id, stream) => void served.set(keyOf(id), stream),
    ended(id) {
      served.delete(keyOf(id));
      inBackground(end(keyOf(id)));
    },
    async send(id, message, caller) {
      const key = keyOf(id);
      if (!(await store.find(key, ownerOf(caller)))) return false;
      return store.send(key, 'speaker', message, principalOf(caller));
    },
    close() {
      clearInterval(sweeper);
      unwatch();
    },
  };
}

/** The id opens the stream, so it is not stored. */
export function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

/** As much of a caller as another replica needs. */
export function principalOf({ id, kind, scopes, clientId, expiresAt }: Principal): Principal {
  return { id, kind, scopes, clientId, expiresAt };
}
