/**
 * A PostgreSQL database that several servers share. Statements take a connection from a bounded pool for as long as they
 * run, so a pooler in transaction mode may stand between: nothing is left in a connection, except in the one that listens.
 */
import pg from 'pg';
import { AppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { libraryAddress } from './address.ts';
import {
  backoffMs,
  busy,
  cancelled,
  isCancelled,
  isLost,
  isOverloaded,
  isRepeatable,
  mayHaveRun,
  unknownOutcome,
  unreachable,
} from './failures.ts';
import { createListener, type Listening } from './listener.ts';

export interface Queries {
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Database extends Queries {
  readonly url: string;
  /** One statement as a transaction of its own: when the connection is lost, it is found out whether it was committed. */
  query: Queries['query'];
  /** One statement that may run twice, such as a read: it is sent again after a lost connection. */
  repeatable: Queries['query'];
  /** As `repeatable`, for a change: the error says so where it is not known whether the change was made. */
  repeatableChange: Queries['query'];
  /** `body` runs again when the database is certain to have kept nothing of it. */
  transaction<T>(body: (queries: Queries) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * An unlogged table with one row, whose id changes when the database crashes or is replaced by its standby. After that
   * it gives numbers to transactions that others had before, so a number does not prove that a change was kept. The first
   * table counts: others may be dropped, or closed to this user.
   */
  knowCrashesBy(table: string): void;
  /** `onGap` is called after each connect: what was said before it is not known. */
  listen(channel: string, heard: (payload: string) => void, onGap: () => void): Listening;
  /** Throws when the database does not answer, or takes no changes. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface TransactionOptions {
  /** How long each of its statements may take, in place of the bound for all. */
  readonly statementMs?: number;
}

export interface DatabaseOptions {
  readonly log: Log;
  /** The most connections of this process, the listening one not counted. */
  readonly connections?: number;
  /** Address of the database itself, where the other one is of a pooler that keeps no notifications. */
  readonly direct?: string;
  readonly connectMs?: number;
  readonly statementMs?: number;
  /** How long a call waits for a database that went away. */
  readonly patienceMs?: number;
}

/** Calls that wait for a connection; more are refused at once. */
const MOST_WAITING = 1_000;
const INT8 = 20;
const CONNECTIONS = 10;
const CONNECT_MS = 5_000;
const STATEMENT_MS = 30_000;
const PATIENCE_MS = 5_000;
const IDLE_MS = 60_000;
/** At most one line about failures of a database that can be reached. */
const SAY_MS = 10_000;

export function openDatabase(url: string, options: DatabaseOptions): Database {
  const { log, connections = CONNECTIONS, connectMs = CONNECT_MS, direct = url } = options;
  const { statementMs = STATEMENT_MS, patienceMs = PATIENCE_MS } = options;
  const settings = { application_name: 'quire', types: { getTypeParser }, keepAlive: true };
  const pool = new pg.Pool({
    ...settings,
    connectionString: libraryAddress(url),
    max: connections,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: IDLE_MS,
  });
  // A connection that breaks while nobody uses it is replaced at the next statement.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const listener = createListener({
    settings: { ...settings, connectionString: libraryAddress(direct) },
    connectMs,
    log,
    say: (channel, payload) =>
      withClient((client) => runOn(client, 'select pg_notify($1, $2)', [channel, payload])),
  });
  let isClosed = false;
  /** Since when every attempt to connect has failed. */
  let downSince: number | undefined;
  let saidAt = 0;
  let epochs: string | undefined;

  const connected = async (): Promise<pg.PoolClient> => {
    if (isClosed) throw new AppError('upstream_failed', 'The server is stopping', { reason: 'closed' });
    if (pool.waitingCount >= MOST_WAITING) throw busy(new Error(`${MOST_WAITING} calls wait already`));
    try {
      const client = await pool.connect();
      if (downSince !== undefined) log('info', 'the database is reachable again');
      downSince = undefined;
      return client;
    } catch (error) {
      // All connections work, and none was free in time.
      if (downSince === undefined && pool.totalCount >= connections) throw busy(error);
      if (downSince === undefined) log('warn', 'the database cannot be reached', { reason: String(error) });
      downSince ??= Date.now();
      throw error;
    }
  };

  /** A connection that failed in other ways than by the statement is not used again. */
  const withClient = async <T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await connected();
    let isBroken = true;
    try {
      const result = await use(client);
      isBroken = false;
      return result;
    } catch (error) {
      isBroken = isLost(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  };

  /** What the caller hears of a failure. The reason is logged, unless it is that of the connection. */
  const givenUp = (error: unknown): unknown => {
    const told = isCancelled(error) ? cancelled(error) : unreachable(error);
    if (!isCancelled(error) && !isLost(error) && !isOverloaded(error)) return error;
    if (!isClosed && downSince === undefined && Date.now() - saidAt > SAY_MS) {
      saidAt = Date.now();
      log('warn', 'the database does not do what it is asked', { reason: String(error) });
    }
    return told;
  };

  /** Tries again for as long as the database may be gone for a moment; not at all when it has been gone for longer. */
  const patiently = async <T>(attempt: () => Promise<T>, mayRepeat: (error: unknown) => boolean) => {
    const until = Date.now() + patienceMs;
    for (let tries = 0; ; tries++) {
      try {
        return await attempt();
      } catch (error) {
        const wait = backoffMs(tries);
        const isGone = downSince !== undefined && Date.now() - downSince > patienceMs;
        if (isClosed || isGone || Date.now() + wait > until || !mayRepeat(error)) throw givenUp(error);
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  };

  const runOn = async <Row>(
    client: pg.PoolClient,
    text: string,
    values: readonly unknown[] = [],
    mostMs = statementMs,
  ) => {
    const { rows } = await bounded(client.query(text, [...values]), mostMs);
    return rows as Row[];
  };

  /** Begins a transaction and asks for its number, in one message to the database. */
  const begin = async (client: pg.PoolClient): Promise<TransactionId> => {
    for (;;) {
      const epochOf = epochs === undefined ? '' : `; select id::text from ${epochs}`;
      const text = `begin; select pg_current_xact_id()::text as id${epochOf}`;
      const [, number, epoch] = (await bounded(client.query(text), statementMs)) as unknown as
        | pg.QueryResult<{ id: string }>[]
        | [];
      const id = number?.rows[0]?.id;
      if (id === undefined) throw new Error('The database did not number the transaction');
      if (!epoch || epoch.rows[0]) return { id, epoch: epoch?.rows[0]?.id };
      await bounded(client.query('rollback'), statementMs);
      await runOn(client, `insert into ${epochs} default values on conflict do nothing`);
    }
  };

  /** What became of a transaction whose commit was not confirmed. */
  const wasCommitted = async ({ id, epoch }: TransactionId): Promise<boolean> => {
    const ask = () =>
      withClient(async (client) => {
        const now = epoch === undefined ? 'null' : `(select id::text from ${epochs})`;
        const [row] = await runOn<{ status: string | null; epoch: string | null }>(
          client,
          `select pg_xact_status($1::xid8) as status, ${now} as epoch`,
          [id],
        );
        if (row?.status === 'in progress') throw new StillRunning();
        // After a crash, it may be another transaction that was committed by this number.
        return row?.status === 'committed' && row.epoch !== (epoch ?? null) ? undefined : row?.status;
      });
    const status = await patiently(ask, (error) => isLost(error) || error instanceof StillRunning).catch(
      (error) => {
        throw unknownOutcome(error);
      },
    );
    if (status !== 'committed' && status !== 'aborted') throw unknownOutcome(undefined);
    return status === 'committed';
  };

  const transaction: Database['transaction'] = <T>(
    body: (queries: Queries) => Promise<T>,
    { statementMs: mostMs = statementMs }: TransactionOptions = {},
  ): Promise<T> => {
    const attempt = async (): Promise<T> => {
      let committing: TransactionId | undefined;
      let result: T | undefined;
      try {
        return await withClient(async (client) => {
          const id = await begin(client);
          try {
            result = await body({ query: (text, values) => runOn(client, text, values, mostMs) });
          } catch (error) {
            if (!isLost(error)) await bounded(client.query('rollback'), statementMs);
            throw error;
          }
          committing = id;
          await bounded(client.query('commit'), mostMs);
          return result;
        });
      } catch (error) {
        if (committing === undefined || !isLost(error)) throw error;
        if (await wasCommitted(committing)) return result as T;
        throw error;
      }
    };
    return patiently(attempt, isRepeatable);
  };

  const repeatableChange: Database['repeatableChange'] = async <Row>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]> => {
    let isUnsure = false;
    const attempt = () =>
      withClient((client) =>
        runOn<Row>(client, text, values).catch((error: unknown) => {
          isUnsure ||= mayHaveRun(error);
          throw error;
        }),
      );
    return patiently(attempt, isRepeatable).catch((error: unknown) => {
      throw isUnsure ? unknownOutcome(error) : error;
    });
  };

  return {
    url,
    transaction,
    repeatableChange,
    query: (text, values) => transaction((queries) => queries.query(text, values)),
    repeatable: <Row>(text: string, values?: readonly unknown[]) =>
      patiently(() => withClient((client) => runOn<Row>(client, text, values)), isRepeatable),
    knowCrashesBy: (table) => {
      epochs ??= table;
    },
    listen: listener.listen,
    check: async () => {
      try {
        const [row] = await withClient((client) => runOn<{ reading: boolean }>(client, IS_READING));
        // A standby, too, answers.
        if (row?.reading) throw new Error('the database takes no changes');
      } catch (error) {
        throw unreachable(error);
      }
    },
    async close() {
      isClosed = true;
      await listener.close();
      await pool.end();
    },
  };
}

const IS_READING = `select current_setting('transaction_read_only') = 'on' as reading`;

class StillRunning extends Error {}

interface TransactionId {
  readonly id: string;
  /** Undefined where crashes are not known. */
  readonly epoch: string | undefined;
}

/** Whole numbers of eight bytes come as numbers: none of ours is beyond 2^53. */
function getTypeParser(id: number, format?: 'text' | 'binary') {
  return id === INT8 ? Number : pg.types.getTypeParser(id, format as 'text');
}

/** Counts as a lost connection when it takes longer: the statement may still be running on it. */
async function bounded<T>(running: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const expired = () => reject(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }));
    timer = setTimeout(expired, milliseconds);
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
    running.catch(() => {});
  }
}
