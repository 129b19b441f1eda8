/** Requests within windows of a fixed length, counted by several servers together. */
import type { Database } from './database.ts';
import { REMOVED_AT_ONCE, removeInSteps } from './remove-old.ts';
import { STATE_SCHEMA } from './schema.ts';

export interface RequestCounts {
  /**
   * Adds requests to the windows of keys, and resolves to what all servers have counted there, in the same order. After
   * a lost connection, requests may be counted twice.
   */
  add(added: readonly AddedRequests[]): Promise<readonly WindowCount[]>;
  close(): Promise<void>;
}

export interface AddedRequests {
  /** At most once among those that are added together. */
  readonly key: string;
  readonly requests: number;
  /** Length of a window that begins now. */
  readonly spanMs: number;
}

export interface WindowCount {
  readonly requests: number;
  readonly remainingMs: number;
}

interface Row {
  readonly key: string;
  readonly requests: number;
  readonly remaining: number;
}

const TABLE = `${STATE_SCHEMA}.request_count`;
const NOW = '(extract(epoch from statement_timestamp()) * 1000)::bigint';
const SWEEP_MS = 60_000;

export function openRequestCounts(database: Database): RequestCounts {
  const sweeper = setInterval(() => void sweep(database).catch(() => {}), SWEEP_MS).unref();
  return {
    async add(added) {
      const rows = await database.repeatable<Row>(
        `insert into ${TABLE} as old (key, requests, ends_at)
         select key, requests, ${NOW} + span
         from unnest($1::text[], $2::bigint[], $3::bigint[]) as given (key, requests, span)
         -- In one order on all servers, so that none waits for another that waits for it.
         order by key
         on conflict (key) do update set
           requests = excluded.requests + case when old.ends_at > ${NOW} then old.requests else 0 end,
           ends_at = case when old.ends_at > ${NOW} then old.ends_at else excluded.ends_at end
         returning key, requests, ends_at - ${NOW} as remaining`,
        [
          added.map(({ key }) => key),
          added.map(({ requests }) => requests),
          added.map(({ spanMs }) => Math.round(spanMs)),
        ],
      );
      const byKey = new Map(rows.map((row) => [row.key, row]));
      return added.map(({ key }) => {
        const { requests = 0, remaining = 0 } = byKey.get(key) ?? {};
        return { requests, remainingMs: remaining };
      });
    },
    async close() {
      clearInterval(sweeper);
    },
  };
}

async function sweep(database: Database): Promise<void> {
  await removeInSteps(
    database,
    `delete from ${TABLE} where key in (
       select key from ${TABLE} where ends_at <= ${NOW} limit ${REMOVED_AT_ONCE} for update skip locked) returning 1`,
  );
}
