/**
 * Sessions of MCP clients in a database that several servers share. Rows are the truth, and notifications only wake who
 * waits for them. Statements on the path of a request may run twice: they name what they write, so that they are sent
 * again after a lost connection.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Database } from '../../../state/postgres/database.ts';
import { STATE_SCHEMA } from '../../../state/postgres/schema.ts';
import { placeToFree } from '../fair-share.ts';
import type { MessageTarget, SessionRecord, SessionStore } from './store.ts';
import { MCP_CHANNEL, sweepSessions } from './sweep.ts';

const S = STATE_SCHEMA;
const MOST_EVENTS_READ = 500;
const FOREIGN_KEY = '23503';

interface SessionRow {
  readonly key: string;
  readonly owner: string;
  readonly opening: string;
  readonly is_ready: boolean;
  readonly log_level: string | null;
  readonly subscriptions: string[];
  readonly version: number;
  readonly speaker: string;
  readonly pushed: number;
}

export interface StoreParts {
  readonly database: Database;
  readonly replica: string;
  readonly endpoint: string;
  readonly alive: (isSeen?: boolean) => string;
  /** Resolves when the others know this replica. */
  readonly ready: Promise<void>;
}

export function createStore({
  database,
  replica,
  endpoint,
  alive,
  ready,
}: StoreParts): Omit<SessionStore, 'watch'> {
  const COLUMNS = 'key, owner, opening, is_ready, log_level, subscriptions, version, speaker, pushed';
  const notifyChanged = (key: string) => `pg_notify('${MCP_CHANNEL}', 'c ' || ${key})`;
  const { repeatable } = database;
  const readEvents = async (key: string, stream: number, from: number) => {
    const rows = await repeatable<{ seq: number; message: string | null; age: number }>(
      `select seq, message, extract(epoch from now() - at)::float8 * 1000 as age from ${S}.mcp_event
       where session = $1 and stream = $2 and seq >= $3 order by seq limit ${MOST_EVENTS_READ}`,
      [key, stream, from],
    );
    return rows.map(({ seq, message, age }) => ({
      seq,
      message: message === null ? undefined : (JSON.parse(message) as JSONRPCMessage),
      ageMs: age,
    }));
  };

  return {
    replica,

    open: (session, most) =>
      database.transaction(async (queries) => {
        await ready;
        // One at a time, or two would take the last place.
        await queries.query('select pg_advisory_xact_lock(hashtextextended($1, 24))', [`mcp ${endpoint}`]);
        const [taken] = await queries.query<{ count: number }>(
          `select count(*) as count from ${S}.mcp_session where endpoint = $1`,
          [endpoint],
        );
        if ((taken?.count ?? 0) >= most) {
          const places = await queries.query<{ key: string; owner: string; isBusy: boolean; usedAt: number }>(
            `select key, owner, extract(epoch from used_at)::float8 as "usedAt",
               (exists (select from ${S}.mcp_call c where c.session = s.key and c.replica in ${alive()})
                or coalesce(s.listener in ${alive()}, false)) as "isBusy"
             from ${S}.mcp_session s where endpoint = $1`,
            [endpoint],
          );
          const place = placeToFree(places, session.owner);
          if (!place) return false;
          await queries.query(
            `with gone as (delete from ${S}.mcp_session where key = $1 returning key)
             select ${notifyChanged('key')} from gone`,
            [place.key],
          );
        }
        await queries.query(
          `insert into ${S}.mcp_session (key, endpoint, owner, opening, speaker) values ($1, $2, $3, $4, $5)`,
          [session.key, endpoint, session.owner, JSON.stringify(session.opening), replica],
        );
        return true;
      }),

    async find(key, owner) {
      const [row] = await repeatable<SessionRow>(
        `with used as (update ${S}.mcp_session set used_at = now()
           where key = $1 and endpoint = $2 and owner = $3 and used_at < now() - interval '1 second')
         select ${COLUMNS} from ${S}.mcp_session where key = $1 and endpoint = $2 and owner = $3`,
        [key, endpoint, owner],
      );
      return row && recordOf(row);
    },

    async findAll(keys) {
      const rows = await repeatable<SessionRow>(
        `select ${COLUMNS} from ${S}.mcp_session where key = any($1) and endpoint = $2`,
        [keys, endpoint],
      );
      return rows.map(recordOf);
    },

    async change(key, change) {
      const { isReady = false, logLevel = null, subscribed = null, unsubscribed = null } = change;
      const [row] = await repeatable<{ version: number }>(
        `with changed as (update ${S}.mcp_session set
           is_ready = is_ready or $2, log_level = coalesce($3, log_level), version = version + 1,
           subscriptions = array_remove(array_remove(subscriptions, $4), $5)
             || case when $4::text is null then '{}'::text[] else array[$4::text] end
           where key = $1 returning key, version)
         select version, ${notifyChanged('key')} from changed`,
        [key, isReady, logLevel, subscribed, unsubscribed],
      );
      return row?.version;
    },

    async end(key) {
      await repeatable(
        `with gone as (delete from ${S}.mcp_session where key = $1 and endpoint = $2 returning key)
         select ${notifyChanged('key')} from gone`,
        [key, endpoint],
      );
    },

    async begin(key, owner, { stream, requests, hasPrimer }) {
      const ids = requests.map((id) => JSON.stringify(id));
      // A request of a replica that is gone will not be answered: its id is free.
      const [row] = await repeatable<{ version: number; begun: string[] | null }>(
        `with session as (select key, version from ${S}.mcp_session
           where key = $1 and endpoint = $2 and owner = $3),
         used as (update ${S}.mcp_session s set used_at = now() from session
           where s.key = session.key and s.used_at < now() - interval '1 second'),
         call as (insert into ${S}.mcp_call as c (session, request, stream, replica)
           select key, request, $4, $5 from session, unnest($6::text[]) as request
           on conflict (session, request) do update
             set stream = excluded.stream, replica = excluded.replica, is_followed = false
             where c.stream = excluded.stream or c.replica not in ${alive()}
           returning request),
         primer as (insert into ${S}.mcp_event (session, stream, seq, writer)
           select key, $4, 0, $5 from session where $7 on conflict do nothing)
         select version, (select array_agg(request) from call) as begun from session`,
        [key, endpoint, owner, stream, replica, ids, hasPrimer],
      ).catch((error: unknown) => {
        // The session ended at the same moment.
        if ((error as { code?: unknown }).code === FOREIGN_KEY) return [];
        throw error;
      });
      if (!row) return 'unknown_session';
      const repeated = requests.find((_, at) => !row.begun?.includes(ids[at] ?? ''));
      if (repeated === undefined) return { version: row.version };
      await repeatable(`delete from ${S}.mcp_call where session = $1 and stream = $2`, [key, stream]);
      return { repeated };
    },

    async forget(key, requests) {
      await repeatable(
        `with gone as (delete from ${S}.mcp_call where session = $1 and request = any($2) and replica = $3
           returning session, stream, is_followed)
         select pg_notify('${MCP_CHANNEL}', 'e ' || session || ' ' || stream) from gone where is_followed`,
        [key, requests.map((id) => JSON.stringify(id)), replica],
      );
    },

    async forgetBut(streams) {
      await repeatable(
        `delete from ${S}.mcp_call c using ${S}.mcp_session s
         where c.replica = $1 and not c.stream = any($2) and s.key = c.session and s.endpoint = $3`,
        [replica, streams, endpoint],
      );
    },

    async add(key, { stream, seq, data, answers }) {
      const held =
        answers === undefined
          ? `select bool_or(is_followed) as is_followed from ${S}.mcp_call
             where session = $1 and stream = $2 and replica = $4 and $6::text is null having count(*) > 0`
          : `delete from ${S}.mcp_call where session = $1 and stream = $2 and replica = $4 and request = $6
             returning is_followed`;
      const [row] = await repeatable<{ is_held: boolean }>(
        `with call as (${held}),
         added as (insert into ${S}.mcp_event (session, stream, seq, writer, message, bytes)
           select $1, $2, $3, $4, $5, octet_length($5) from call on conflict do nothing),
         told as (select pg_notify('${MCP_CHANNEL}', 'e ' || $1 || ' ' || $2::text) from call where is_followed)
         select (select count(*) from told) >= 0 and (exists (select from call) or exists (select from ${S}.mcp_event
           where session = $1 and stream = $2 and seq = $3 and writer = $4)) as is_held`,
        [key, stream, seq, replica, data, answers === undefined ? null : JSON.stringify(answers)],
      );
      return row?.is_held === true;
    },

    async push(key, seq, data) {
      // The update makes a replica that takes over wait, and sees whether one has, also if it did so only for a while.
      const rows = await repeatable(
        `with session as (update ${S}.mcp_session set pushed = $3 where key = $1 and speaker = $2
           and (pushed = $3 - 1 or pushed = $3 and exists (select from ${S}.mcp_event
             where session = $1 and stream = 0 and seq = $3 and writer = $2)) returning key),
         added as (insert into ${S}.mcp_event (session, stream, seq, writer, message, bytes)
           select key, 0, $3, $2, $4, octet_length($4) from session on conflict do nothing)
         select key from session`,
        [key, replica, seq, data],
      );
      return rows.length > 0;
    },

    after: (key, stream, seq) => readEvents(key, stream, seq + 1),

    async listen(key, owner, { takesOver }) {
      const [row] = await repeatable<{
        streams: number | null;
        pushed: number;
        sent: number;
        speaker: string;
        ago: number | null;
        seen: number | null;
        behind: number | null;
        busy: number | null;
      }>(
        `with old as (select s.key, speaker, listener, streams, pushed, behind_since, seen_at
           from ${S}.mcp_session s left join ${S}.mcp_replica r on r.id = s.speaker
           where s.key = $1 and endpoint = $2 and owner = $3 for update of s),
         opened as (update ${S}.mcp_session s set listener = $4, speaker = $4, used_at = now(),
             streams = s.streams + case when $5::int is null then 1 else 0 end,
             behind_since = case when old.speaker = $4 then old.behind_since
               else coalesce(old.behind_since, old.seen_at, now()) end
           from old where s.key = old.key and case when $5::int is null
             then old.listener is null or old.listener = $4 or old.listener not in ${alive()}
             else $5 <= s.streams and $6::bigint <= s.pushed end
           returning s.streams, s.pushed, s.sent, s.behind_since, old.listener, old.speaker, s.key),
         told as (select ${notifyChanged('key')} from opened where listener <> $4 or speaker <> $4)
         select (select count(*) from told) as told, opened.streams, opened.pushed, opened.sent, old.speaker,
           extract(epoch from now() - old.seen_at)::float8 * 1000 as ago,
           extract(epoch from old.seen_at)::float8 * 1000 as seen,
           extract(epoch from now() - opened.behind_since)::float8 * 1000 as behind,
           (select extract(epoch from now() - seen_at)::float8 * 1000 from ${S}.mcp_replica where id = old.listener) as busy
         from old left join opened on true`,
        [key, endpoint, owner, replica, takesOver?.number ?? null, takesOver?.seq ?? null],
      );
      if (!row) return 'unknown_session';
      const { streams: number, pushed, sent, speaker, ago, seen, behind, busy } = row;
      if (number === null) return takesOver ? 'unknown_event' : { busyForMs: busy ?? 0 };
      const taken = { replica: speaker, agoMs: ago ?? 0, seenAt: seen ?? 0, behindMs: behind ?? 0 };
      return { number, pushed, sent, taken: speaker === replica && behind === null ? undefined : taken };
    },

    async caughtUp(key) {
      await repeatable(`update ${S}.mcp_session set behind_since = null where key = $1 and speaker = $2`, [
        key,
        replica,
      ]);
    },

    async seenAt(other) {
      const [row] = await repeatable<{ seen: number }>(
        `select extract(epoch from seen_at)::float8 * 1000 as seen from ${S}.mcp_replica where id = $1 and not is_stopped`,
        [other],
      );
      return row?.seen;
    },

    async unlisten(key, sent) {
      await repeatable(
        `update ${S}.mcp_session set sent = greatest(sent, $3), used_at = now(),
           listener = case when listener = $2 then null else listener end where key = $1`,
        [key, replica, sent],
      );
    },

    async follow(key, stream, after) {
      // The state first: what is over has all its events by then.
      const [row] = await repeatable<{ running: number; lost: number }>(
        `with followed as (update ${S}.mcp_call set is_followed = true
           where session = $1 and stream = $2 and not is_followed)
         select count(*) as running, count(*) filter (where replica not in ${alive()}) as lost
         from ${S}.mcp_call where session = $1 and stream = $2`,
        [key, stream],
      );
      const [last, ...events] = await readEvents(key, stream, after);
      const isKnown = last?.seq === after;
      const { running = 0, lost = 0 } = row ?? {};
      const isWhole = events.length < MOST_EVENTS_READ - 1;
      const state = lost > 0 ? 'lost' : running > 0 || !isWhole ? 'running' : 'over';
      return { isKnown, events: isKnown || !last ? events : [last, ...events], state };
    },

    async lose(key, stream, error) {
      await repeatable(
        `with gone as (delete from ${S}.mcp_call where session = $1 and stream = $2 and replica not in ${alive()}
           returning request),
         said as (select row_number() over () as at,
           '{"jsonrpc":"2.0","id":' || request || ',"error":' || $3 || '}' as message from gone)
         insert into ${S}.mcp_event (session, stream, seq, writer, message, bytes)
         select $1, $2, at + (select coalesce(max(seq), 0) from ${S}.mcp_event where session = $1 and stream = $2),
           $4, message, octet_length(message) from said`,
        [key, stream, JSON.stringify(error), replica],
      );
    },

    async send(key, target, message, caller) {
      const [to, named] = targetOf(target);
      const sent = await database.query(
        `with put as (insert into ${S}.mcp_inbox (replica, session, message, caller)
           select target.id, $1, $4, $5 from ${alive(target === 'speaker')} target
           where target.id <> $2 and target.id in (${to}) returning replica)
         select pg_notify('${MCP_CHANNEL}', 'i ' || replica) from put`,
        [key, replica, named, JSON.stringify(message), caller ? JSON.stringify(caller) : null],
      );
      return sent.length > 0;
    },

    sweep: (limits) => sweepSessions(database, { ...limits, endpoint, alive: alive() }),
  };
}

/** The replicas a message is for, and the value of `$3` in that. */
function targetOf(target: MessageTarget): readonly [sql: string, named: string | null] {
  if (target === 'others') return [`select id from ${S}.mcp_replica where $3::text is null`, null];
  if (target === 'speaker')
    return [`select speaker from ${S}.mcp_session where key = $1 and $3::text is null`, null];
  if ('replica' in target) return ['select $3::text', target.replica];
  return [
    `select replica from ${S}.mcp_call where session = $1 and request = $3::text`,
    JSON.stringify(target.request),
  ];
}

function recordOf(row: SessionRow): SessionRecord {
  return {
    key: row.key,
    owner: row.owner,
    opening: JSON.parse(row.opening) as Readonly<Record<string, unknown>>,
    isReady: row.is_ready,
    logLevel: row.log_level ?? undefined,
    subscriptions: row.subscriptions,
    version: row.version,
    speaker: row.speaker,
    pushed: row.pushed,
  };
}
