/**
 * The versions of notes that sessions were shown, shared by all replicas: a session reads on one and writes on another.
 * What is remembered goes to the database at once, and what was read a moment later, many together. A database that is away makes a
 * session forget: it is warned of nothing, or asked to read a note again.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeenVersions } from '../../notes/overwrite-guard.ts';
import type { Database } from '../../state/postgres/database.ts';
import { REMOVED_AT_ONCE, removeInSteps } from '../../state/postgres/remove-old.ts';
import { SEEN, storable } from './tables.ts';

const KEPT = '1 day';
const MOST_ROWS = 500_000;
const SWEEP_MS = 5 * 60_000;
/** Notes that wait for the database; the oldest are forgotten. */
const MOST_WAITING = 5_000;
/** Another server has told what it knew by then. */
const SETTLED_MS = 150;
/** Reads in quick succession go together: a statement for each would slow all of them. */
const TOGETHER_MS = 25;

interface Entry {
  readonly session: Buffer;
  readonly path: string;
  /** Undefined for one to forget. */
  readonly version: string | undefined;
}

export interface SeenTable {
  of(name: string, session: string): SeenVersions;
}

export function createSeenTable(database: Pick<Database, 'repeatable'>): SeenTable {
  let waiting = new Map<string, Entry>();
  let sending = new Map<string, Entry>();
  let flushing: Promise<void> | undefined;
  let sweptAt = performance.now();

  const sendAll = async () => {
    // All that is remembered in the same moment goes together.
    await Promise.resolve();
    while (waiting.size > 0) {
      [sending, waiting] = [waiting, new Map()];
      await send(database, [...sending.values()]).catch(() => {});
      sending = new Map();
      if (performance.now() - sweptAt < SWEEP_MS) continue;
      sweptAt = performance.now();
      void sweep(database).catch(() => {});
    }
  };
  const flush = async (): Promise<void> => {
    // What is being sent may have begun before: the next round has it.
    while (flushing) await flushing;
    if (waiting.size === 0) return;
    flushing = sendAll().finally(() => {
      flushing = undefined;
    });
    await flushing;
  };
  let isTimed = false;
  const put = (entry: Entry): void => {
    const key = keyOf(entry);
    waiting.delete(key);
    waiting.set(key, entry);
    for (const oldest of waiting.keys()) {
      if (waiting.size <= MOST_WAITING) break;
      waiting.delete(oldest);
    }
  };
  const remember = (entry: Entry): Promise<void> => {
    put(entry);
    return flush();
  };
  const rememberSoon = (entry: Entry): void => {
    put(entry);
    if (isTimed) return;
    isTimed = true;
    setTimeout(() => {
      isTimed = false;
      void flush();
    }, TOGETHER_MS);
  };

  return {
    of(name, id) {
      const session = createHash('sha256')
        .update(JSON.stringify([name, id]))
        .digest()
        .subarray(0, 16);
      const entryOf = (path: string, version?: string) => ({ session, path: storable(path), version });
      const known = (path: string) => {
        const key = keyOf(entryOf(path));
        return waiting.get(key) ?? sending.get(key);
      };
      return {
        async get(path) {
          const own = known(path);
          if (own) return own.version;
          const [row] = await database.repeatable<{ version: string }>(
            `select version from ${SEEN} where session = $1 and path = $2`,
            [session, storable(path)],
          );
          return row?.version;
        },
        settled: () => sleep(SETTLED_MS),
        set: (path, version) => remember(entryOf(path, version)),
        note: (path, version) => rememberSoon(entryOf(path, version)),
        async replace(path, before, after) {
          const own = known(path);
          if (own) return own.version === before ? remember(entryOf(path, after)) : undefined;
          await database
            .repeatable(
              `update ${SEEN} set version = $4, at = now() where session = $1 and path = $2 and version = $3`,
              [session, storable(path), before, after],
            )
            .catch(() => {});
        },
        delete: (path) => remember(entryOf(path)),
      };
    },
  };
}

function keyOf({ session, path }: Pick<Entry, 'session' | 'path'>): string {
  return `${session.toString('latin1')}${path}`;
}

async function send({ repeatable }: Pick<Database, 'repeatable'>, entries: readonly Entry[]): Promise<void> {
  // In one order on all servers, so that none waits for another that waits for it.
  const sorted = [...entries].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  await repeatable(
    `with given as (select * from unnest($1::bytea[], $2::text[], $3::text[]) as given (session, path, version)),
     gone as (delete from ${SEEN} s using given where given.version is null
       and s.session = given.session and s.path = given.path)
     insert into ${SEEN} (session, path, version) select session, path, version from given where version is not null
     on conflict (session, path) do update set version = excluded.version, at = now()`,
    [
      sorted.map(({ session }) => session),
      sorted.map(({ path }) => path),
      sorted.map(({ version }) => version ?? null),
    ],
  );
}

/** Removes the versions that were shown a day ago, and the oldest where there are too many. */
async function sweep(database: Pick<Database, 'repeatable'>): Promise<void> {
  const [row] = await database.repeatable<{ until: Date }>(
    `select greatest(now() - interval '${KEPT}',
       (select at from ${SEEN} order by at desc offset ${MOST_ROWS} limit 1)) as until`,
  );
  await removeInSteps(
    database,
    `delete from ${SEEN} where ctid in (
       select ctid from ${SEEN} where at < $1 limit ${REMOVED_AT_ONCE}) returning 1`,
    [row?.until],
  );
}
