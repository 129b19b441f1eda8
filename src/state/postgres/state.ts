/**
 * State in a database that several servers share. What every call asks for is kept for less than a second, and forgotten
 * as soon as another server changes it: a revocation is felt within that second also by a server that hears no
 * notifications. Everything else is read as it is.
 */
import { LruMap } from '../../shared/memoize.ts';
import { type StateStore, stateText, watched } from '../memory.ts';
import type { Database } from './database.ts';
import { REMOVED_AT_ONCE, removeInSteps } from './remove-old.ts';
import { STATE_SCHEMA } from './schema.ts';

interface PostgresStateOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface Row {
  readonly value: string;
  readonly expires_at: number | null;
}

interface Kept {
  /** Absence is kept as well. */
  readonly row: Row | undefined;
  readonly readAt: number;
}

const TABLE = `${STATE_SCHEMA}.state`;
const CHANNEL = 'quire_state';
const KEPT_MS = 800;
const MOST_KEPT = 10_000;
const SWEEP_MS = 5 * 60_000;
const IS_LIVE = '(expires_at is null or expires_at > $2)';

export function openPostgresState(
  database: Database,
  { now = Date.now }: PostgresStateOptions = {},
): StateStore {
  const kept = new LruMap<Kept>(MOST_KEPT);
  /** Counts what was forgotten, so that a read that began before is not kept. */
  let changes = 0;
  /** Reads under way, which all who ask for the same meanwhile share. */
  const reading = new Map<string, Promise<Row | undefined>>();
  const forget = (key: string) => {
    changes++;
    kept.delete(key);
    reading.delete(key);
  };
  const forgetAll = () => {
    changes++;
    kept.clear();
    reading.clear();
  };
  const watchers = new Set<(key: string) => void>();
  const tell = (key: string) => {
    for (const changed of watchers) changed(key);
  };
  const heardAll = () => {
    forgetAll();
    tell('');
  };
  const heard = (key: string) => {
    if (key === '') return heardAll();
    forget(key);
    tell(keyOf(key));
  };
  const listening = database.listen(CHANNEL, heard, heardAll);
  // A server that hears no notifications knows of no change.
  const unheard = setInterval(() => listening.isLive() || tell(''), KEPT_MS).unref();
  const sweeper = setInterval(() => void sweep(database, now()).catch(() => {}), SWEEP_MS).unref();

  const isLive = ({ expires_at: at }: Row) => at === null || at > now();
  const read = async (key: string): Promise<Row | undefined> => {
    const [row] = await database.repeatable<Row>(
      `select value, expires_at from ${TABLE} where key = $1 and ${IS_LIVE}`,
      [key, now()],
    );
    return row;
  };
  const readAndKeep = async (key: string): Promise<Row | undefined> => {
    const readAt = performance.now();
    const before = changes;
    const row = await read(key);
    if (before === changes) kept.set(key, { row, readAt });
    return row;
  };
  const readRecent = (key: string): Promise<Row | undefined> => {
    const underWay = reading.get(key);
    if (underWay) return underWay;
    const mine = readAndKeep(key).finally(() => {
      if (reading.get(key) === mine) reading.delete(key);
    });
    reading.set(key, mine);
    return mine;
  };
  /** One statement, whose change is told to the others when it is committed. */
  const change = async <Result>(key: string, text: string, values: readonly unknown[]): Promise<Result[]> => {
    forget(key);
    try {
      return await database.transaction(async (queries) => {
        const rows = await queries.query<Result>(text, values);
        await queries.query('select pg_notify($1, $2)', [CHANNEL, key.length > 500 ? '' : key]);
        return rows;
      });
    } finally {
      forget(key);
    }
  };

  const endOf = (ttlSeconds: number | undefined) =>
    ttlSeconds === undefined ? null : Math.round(now() + ttlSeconds * 1000);

  return {
    isShared: true,
    get: async <T>(key: string) => valueIn<T>(await read(storedKey(key))),
    async recent<T>(key: string) {
      const stored = storedKey(key);
      const known = kept.get(stored);
      if (!known || performance.now() - known.readAt >= KEPT_MS) return valueIn<T>(await readRecent(stored));
      return valueIn<T>(known.row && isLive(known.row) ? known.row : undefined);
    },
    async put(key, value, ttlSeconds) {
      const text = stateText(value);
      const expiresAt = endOf(ttlSeconds);
      const stored = storedKey(key);
      await change(
        stored,
        `insert into ${TABLE} (key, value, expires_at) values ($1, $2, $3)
         on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at`,
        [stored, text, expiresAt],
      );
    },
    async swap(key, expected, value, ttlSeconds) {
      const stored = storedKey(key);
      const values = [stored, now(), stateText(value), endOf(ttlSeconds)];
      // A value that was not there is kept by nobody but as absent, which may be believed for a moment: no one is told.
      const rows =
        expected === undefined
          ? await database.query(
              `insert into ${TABLE} as old (key, value, expires_at) values ($1, $3, $4)
               on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at
               where old.expires_at <= $2 returning 1`,
              values,
            )
          : await change(
              stored,
              `update ${TABLE} set value = $3, expires_at = $4
               where key = $1 and value = $5 and ${IS_LIVE} returning 1`,
              [...values, stateText(expected)],
            );
      if (expected === undefined) forget(stored);
      return rows.length > 0;
    },
    async take<T>(key: string) {
      const stored = storedKey(key);
      const [row] = await change<Row>(
        stored,
        `delete from ${TABLE} where key = $1 returning value, expires_at`,
        [stored],
      );
      return valueIn<T>(row && isLive(row) ? row : undefined);
    },
    async delete(key) {
      const stored = storedKey(key);
      await change(stored, `delete from ${TABLE} where key = $1`, [stored]);
    },
    async list(prefix) {
      const rows = await database.repeatable<{ key: string }>(
        `select key from ${TABLE} where key >= $1 and starts_with(key, $1) and ${IS_LIVE}`,
        [storedKey(prefix), now()],
      );
      return rows.map(({ key }) => keyOf(key)).sort();
    },
    watch: (changed) => watched(watchers, changed),
    async close() {
      clearInterval(sweeper);
      clearInterval(unheard);
      listening.stop();
    },
  };
}

/** Puts a key that nobody else makes for anything else: true for the first caller on all servers. */
export async function claimKey(database: Database, key: string, ttlSeconds: number): Promise<boolean> {
  const rows = await database.query(
    `insert into ${TABLE} (key, value, expires_at) values ($1, 'true', $2) on conflict do nothing returning 1`,
    [storedKey(key), Date.now() + ttlSeconds * 1000],
  );
  return rows.length > 0;
}

function valueIn<T>(row: Row | undefined): T | undefined {
  return row && (JSON.parse(row.value) as T);
}

async function sweep(database: Database, now: number): Promise<void> {
  await removeInSteps(
    database,
    `delete from ${TABLE} where key in (
       select key from ${TABLE} where expires_at <= $1 limit ${REMOVED_AT_ONCE} for update skip locked) returning 1`,
    [now],
  );
}

/** PostgreSQL keeps no NUL and no half of a surrogate pair; the prefix of a key stays the prefix of what is stored. */
const UNSTORABLE = /[\\\0]|\p{Surrogate}/gu;

function storedKey(key: string): string {
  return key.replace(UNSTORABLE, (unit) => `\\${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function keyOf(stored: string): string {
  return stored.replace(/\\([0-9a-f]{4})/g, (_, unit: string) =>
    String.fromCharCode(Number.parseInt(unit, 16)),
  );
}
