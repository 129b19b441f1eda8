/** Ends idle sessions, and keeps the events that clients may ask for again within their limits. */
import type { Database, Queries } from '../../../state/postgres/database.ts';
import { STATE_SCHEMA } from '../../../state/postgres/schema.ts';

export const MCP_CHANNEL = 'quire_mcp';
const S = STATE_SCHEMA;
const MOST_EVENTS_PER_SESSION = 200;
const MOST_AT_ONCE = 5_000;

interface Sweep {
  readonly endpoint: string;
  readonly idleMs: number;
  /** Of all sessions of the endpoint together. */
  readonly bufferedBytes: number;
  /** How long an event is kept. */
  readonly eventMs: number;
  /** The replicas that run, as a part of a statement. */
  readonly alive: string;
}

/** One replica at a time; the others leave it to that one. */
export function sweepSessions(database: Database, sweep: Sweep): Promise<void> {
  return database.transaction(async (queries) => {
    const [lock] = await queries.query<{ is_mine: boolean }>(
      'select pg_try_advisory_xact_lock(hashtextextended($1, 25)) as is_mine',
      [`mcp ${sweep.endpoint}`],
    );
    if (!lock?.is_mine) return;
    await endIdle(queries, sweep);
    await dropOld(queries, sweep);
    await dropOfGreediest(queries, sweep);
    await queries.query(`delete from ${S}.mcp_inbox where at < now() - interval '1 minute'`);
    await queries.query(`delete from ${S}.mcp_replica where seen_at < now() - interval '1 day'`);
  });
}

/** A session is in use while its stream is open: also when the replica that had it open has died since. */
async function endIdle(queries: Queries, { endpoint, idleMs, alive }: Sweep): Promise<void> {
  await queries.query(
    `with gone as (delete from ${S}.mcp_session s where endpoint = $1
       and greatest(used_at, (select seen_at from ${S}.mcp_replica where id = s.listener))
         < now() - $2 * interval '1 millisecond'
       and coalesce(s.listener not in ${alive}, true)
       and not exists (select from ${S}.mcp_call c where c.session = s.key and c.replica in ${alive})
       returning key)
     select pg_notify('${MCP_CHANNEL}', 'c ' || key) from gone`,
    [endpoint, idleMs],
  );
}

async function dropOld(queries: Queries, { endpoint, eventMs }: Sweep): Promise<void> {
  await queries.query(
    `delete from ${S}.mcp_event where ctid in (
       select e.ctid from ${S}.mcp_event e join ${S}.mcp_session s on s.key = e.session
       where s.endpoint = $1 and e.at < now() - $2 * interval '1 millisecond' limit ${MOST_AT_ONCE})`,
    [endpoint, eventMs],
  );
  await queries.query(
    `delete from ${S}.mcp_event e using (
       select e.session, e.stream, e.seq,
         row_number() over (partition by e.session order by e.at desc, e.seq desc) as place
       from ${S}.mcp_event e join ${S}.mcp_session s on s.key = e.session where s.endpoint = $1) old
     where old.place > ${MOST_EVENTS_PER_SESSION}
       and (e.session, e.stream, e.seq) = (old.session, old.stream, old.seq)`,
    [endpoint],
  );
}

/** The oldest events of the callers who hold most, until all together are within the budget. */
async function dropOfGreediest(queries: Queries, { endpoint, bufferedBytes }: Sweep): Promise<void> {
  const owners = await queries.query<{ bytes: number }>(
    `select sum(e.bytes) as bytes from ${S}.mcp_event e join ${S}.mcp_session s on s.key = e.session
     where s.endpoint = $1 group by s.owner`,
    [endpoint],
  );
  const share = fairShare(
    owners.map(({ bytes }) => bytes),
    bufferedBytes,
  );
  if (share === undefined) return;
  await queries.query(
    `delete from ${S}.mcp_event e using (
       select e.session, e.stream, e.seq,
         sum(e.bytes) over (partition by s.owner order by e.at desc, e.session, e.seq desc) as held
       from ${S}.mcp_event e join ${S}.mcp_session s on s.key = e.session where s.endpoint = $1) old
     where old.held > $2 and (e.session, e.stream, e.seq) = (old.session, old.stream, old.seq)`,
    [endpoint, share],
  );
}

/** The most that each may hold so that all are within the budget; undefined when they are. */
export function fairShare(held: readonly number[], budget: number): number | undefined {
  if (held.reduce((sum, bytes) => sum + bytes, 0) <= budget) return undefined;
  let rest = budget;
  const ascending = [...held].sort((one, other) => one - other);
  for (const [at, bytes] of ascending.entries()) {
    const share = rest / (ascending.length - at);
    if (bytes > share) return Math.floor(share);
    rest -= bytes;
  }
  return undefined;
}
