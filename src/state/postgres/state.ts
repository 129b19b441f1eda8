/**
 * State in a database that several servers share. What was read is kept for less than a second, and forgotten as soon as
 * another server changes it: a revocation is felt within that second also by a server that hears no notifications.
 */
import { LruMap } from '../../shared/memoize.ts';
import type { StateStore } from '../memory.ts';
import type { Database } from './database.ts';
import { STATE_SCHEMA } from './schema.ts';

interface PostgresStateOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface Row {
  readonly value: string;
  readonly expires_at: number | null;
}

interface Kept extends Row {
  readonly readAt: number;
}

const TABLE = `${STATE_SCHEMA}.state`;
const CHANNEL = 'quire_state';
const KEPT_MS = 800;
const MOST_KEPT = 10_000;
const SWEEP_MS = 5 * 60_000;
const SWEPT_AT_ONCE = 1_000;
const IS_LIVE = '(expires_at is null or expires_at > $2)';

export function openPostgresState(
  database: Database,
  { now = Date.now }: PostgresStateOptions = {},
): StateStore {
  const kept = new LruMap<Kept>(MOST_KEPT);
  /** Counts what was forgotten, so that a read that began before is not kept. */
  let changes = 0;
  const forget = (key: string) => {
    changes++;
    kept.delete(key);
  };
  const forgetAll = () => {
    changes++;
    kept.clear();
  };
  const listening = database.listen(CHANNEL, (key) => (key === '' ? forgetAll() : forget(key)), forgetAll);
  const sweeper = setInterval(() => void sweep(database, now()).catch(() => {}), SWEEP_MS).unref();

  const isLive = ({ expires_at: at }: Row) => at === null || at > now();
  const read = async (key: string): Promise<string | undefined> => {
    const known = kept.get(key);
    if (known && performance.now() - known.readAt < KEPT_MS) return isLive(known) ? known.value : undefined;
    const readAt = performance.now();
    const before = changes;
    const [row] = await database.repeatable<Row>(
      `select value, expires_at from ${TABLE} where key = $1 and ${IS_LIVE}`,
      [key, now()],
    );
    // Absence is not kept: a key that is asked for before it is there is asked for again soon.
    if (row && before === changes) kept.set(key, { ...row, readAt });
    return row?.value;
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

  return {
    async get<T>(key: string) {
      const text = await read(storedKey(key));
      return text === undefined ? undefined : (JSON.parse(text) as T);
    },
    async put(key, value, ttlSeconds) {
      const text = JSON.stringify(value);
      if (text === undefined) throw new TypeError('A state value must be something JSON can hold');
      const expiresAt = ttlSeconds === undefined ? null : Math.round(now() + ttlSeconds * 1000);
      const stored = storedKey(key);
      await change(
        stored,
        `insert into ${TABLE} (key, value, expires_at) values ($1, $2, $3)
         on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at`,
        [stored, text, expiresAt],
      );
    },
    async take<T>(key: string) {
      const stored = storedKey(key);
      const [row] = await change<Row>(
        stored,
        `delete from ${TABLE} where key = $1 returning value, expires_at`,
        [stored],
      );
      return row && isLive(row) ? (JSON.parse(row.value) as T) : undefined;
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
    async close() {
      clearInterval(sweeper);
      listening.stop();
    },
  };
}

async function sweep(database: Database, now: number): Promise<void> {
  await database.repeatable(
    `delete from ${TABLE} where key in (
       select key from ${TABLE} where expires_at <= $1 limit ${SWEPT_AT_ONCE} for update skip locked)`,
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
