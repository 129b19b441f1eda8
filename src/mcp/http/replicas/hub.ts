/**
 * What a server has in common with the others on its database, whatever its endpoints: it shows every second that it runs,
 * takes its messages, and hears of changes. A server that was not seen for some seconds is gone.
 */
import { randomBytes } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Log } from '../../../shared/log.ts';
import type { Principal } from '../../../shared/principal.ts';
import type { Database } from '../../../state/postgres/database.ts';
import { STATE_SCHEMA } from '../../../state/postgres/schema.ts';
import { createStore } from './postgres-store.ts';
import type { SessionStore, StoreEvents } from './store.ts';
import { MCP_CHANNEL } from './sweep.ts';

const S = STATE_SCHEMA;
const BEAT_MS = 1_000;
const LAPSE_MS = 6_000;
/** Beats after which messages are looked for that were not announced. */
const BEATS_PER_LOOK = 5;

export interface ReplicaHubOptions {
  readonly log: Log;
  readonly beatMs?: number;
  readonly lapseMs?: number;
}

/** One for a process, with a store for each of its endpoints. */
export interface ReplicaHub {
  readonly replica: string;
  endpoint(name: string): SessionStore;
  /** Tells the others that this server does nothing any more. */
  close(): Promise<void>;
}

export function openReplicaHub(database: Database, options: ReplicaHubOptions): ReplicaHub {
  const { log, beatMs = BEAT_MS, lapseMs = LAPSE_MS } = options;
  const replica = randomBytes(6).toString('hex');
  const watchers = new Set<StoreEvents>();
  const own = createOwnAbsence(lapseMs);
  /** The replicas that run, as a part of a statement; or only those that were seen a moment ago. */
  const alive = (isSeen = false) => `(select id from ${S}.mcp_replica where not is_stopped
    and seen_at > now() - interval '${Math.ceil(lapseMs + (isSeen ? 0 : own.absentMs()))} milliseconds')`;

  let draining: Promise<void> | undefined;
  let isMore = false;
  const drainOnce = async () => {
    const rows = await database.query<{
      id: number;
      session: string;
      message: string;
      caller: string | null;
    }>(`delete from ${S}.mcp_inbox where replica = $1 returning id, session, message, caller`, [replica]);
    for (const { session, message, caller } of rows.sort((one, other) => one.id - other.id))
      for (const watcher of watchers)
        watcher.message(
          session,
          JSON.parse(message) as JSONRPCMessage,
          caller === null ? undefined : (JSON.parse(caller) as Principal),
        );
  };
  const drain = () => {
    isMore = true;
    draining ??= (async () => {
      try {
        while (isMore) {
          isMore = false;
          await drainOnce();
        }
      } catch (error) {
        log('warn', 'messages of sessions could not be read', { error: String(error) });
      } finally {
        draining = undefined;
      }
    })();
    return draining;
  };

  const hear = (payload: string) => {
    const [kind, key = '', stream] = payload.split(' ');
    if (kind === 'i') {
      if (key === replica) void drain();
    } else
      for (const watcher of watchers) {
        if (kind === 'c') watcher.changed(key);
        if (kind === 'e') watcher.event(key, Number(stream));
      }
  };
  /** What was announced may not have been heard. */
  const lookAround = () => {
    void drain();
    for (const watcher of watchers) watcher.gap();
  };
  const listening = database.listen(MCP_CHANNEL, hear, lookAround);

  let beats = 0;
  let isBeating = false;
  const beat = async () => {
    if (isBeating) return;
    isBeating = true;
    try {
      await database.repeatable(
        `insert into ${S}.mcp_replica (id) values ($1) on conflict (id) do update set seen_at = now()`,
        [replica],
      );
      own.seen();
      // Not waited for: the next beat must not be late.
      if (++beats % BEATS_PER_LOOK === 0) void drain();
      if (!listening.isLive()) lookAround();
    } catch (error) {
      log('debug', 'the database does not know that this server runs', { error: String(error) });
    } finally {
      isBeating = false;
    }
  };
  const first = beat();
  const timer = setInterval(() => void beat(), beatMs).unref();

  return {
    replica,
    endpoint: (name: string) => {
      const parts = { database, replica, endpoint: name, alive, ready: first };
      const watch = (watcher: StoreEvents) => {
        watchers.add(watcher);
        return () => void watchers.delete(watcher);
      };
      return { ...createStore(parts), watch };
    },
    async close() {
      clearInterval(timer);
      listening.stop();
      await database
        .repeatable(`update ${S}.mcp_replica set is_stopped = true, seen_at = now() where id = $1`, [replica])
        .catch((error: unknown) => log('debug', 'the end was not announced', { error: String(error) }));
    },
  };
}

/**
 * For how long this server was not seen itself, until the others had time to be seen again: while the database is away,
 * nobody is seen, and a server that comes back first must not take the others for gone.
 */
function createOwnAbsence(lapseMs: number) {
  let seenAt = performance.now();
  let last = { ms: 0, until: 0 };
  const sinceSeen = () => performance.now() - seenAt;
  return {
    seen(): void {
      const ms = sinceSeen();
      seenAt += ms;
      if (ms > lapseMs / 2) last = { ms, until: seenAt + lapseMs };
    },
    absentMs: () => Math.max(sinceSeen(), performance.now() < last.until ? last.ms : 0),
  };
}
