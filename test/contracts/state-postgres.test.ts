/** State in PostgreSQL: the contract, and what only a shared database can do wrong. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../src/shared/log.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/state/postgres/database.ts';
import { migrate } from '../../src/state/postgres/migrate.ts';
import { openRequestCounts } from '../../src/state/postgres/request-counts.ts';
import { STATE_MIGRATIONS, STATE_SCHEMA } from '../../src/state/postgres/schema.ts';
import { openPostgresState } from '../../src/state/postgres/state.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { testStateContract } from './state.ts';

const SCHEMA = { schema: STATE_SCHEMA, steps: STATE_MIGRATIONS };

async function opened(url: string, options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const database = openDatabase(url, { log: silentLog, connections: 4, connectMs: 60_000, ...options });
  onTestFinished(() => database.close());
  await migrate(database, SCHEMA);
  return database;
}

/** Ends every connection to the database but the caller's own, as a crash or a failover would. */
async function cutConnections(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await client.end();
}

describeWith(postgresNeed, 'state in PostgreSQL', () => {
  testStateContract(async (clock) => {
    const state = openPostgresState(await opened(await freshDatabase()), { now: () => clock.now });
    onTestFinished(() => state.close());
    return state;
  });

  it('holds keys that PostgreSQL has no text for', async () => {
    const state = openPostgresState(await opened(await freshDatabase()));
    onTestFinished(() => state.close());
    const keys = ['a\0b', 'a\ud800', 'a\ufffd', 'a\\', 'a\\005c', 'a\u{1f600}'];
    for (const key of keys) await state.put(key, key);
    for (const key of keys) expect(await state.get(key)).toBe(key);
    expect(await state.list('a')).toEqual([...keys].sort());
    expect(await state.list('a\ud800')).toEqual(['a\ud800']);
  });

  it('lets one of many takers on two servers have a value, and both see each change at once', async () => {
    const url = await freshDatabase();
    const [one, two] = [openPostgresState(await opened(url)), openPostgresState(await opened(url))];
    onTestFinished(async () => void (await Promise.all([one.close(), two.close()])));
    await one.put('k', 1);
    expect(await two.recent('k')).toBe(1);
    await one.put('k', 2);
    expect(await two.get('k')).toBe(2);
    await expect.poll(() => two.recent('k'), { interval: 5 }).toBe(2);
    const taken = await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 ? one : two).take('k')));
    expect(taken.filter((value) => value !== undefined)).toEqual([2]);
    await expect.poll(() => two.recent('k'), { interval: 5 }).toBeUndefined();
    await one.put('k', 3);
    await expect.poll(() => two.recent('k'), { interval: 5 }).toBe(3);
    for (const expected of [3, undefined]) {
      const key = expected === undefined ? 'new' : 'k';
      const swaps = Array.from({ length: 20 }, (_, at) => (at % 2 ? one : two).swap(key, expected, { at }));
      expect((await Promise.all(swaps)).filter((isDone) => isDone)).toHaveLength(1);
    }
  });

  it('forgets what it has read although no notification comes', async () => {
    const url = await freshDatabase();
    const deaf = openPostgresState({
      ...(await opened(url)),
      listen: () => ({ isLive: () => false, stop() {} }),
    });
    const other = openPostgresState(await opened(url));
    onTestFinished(async () => void (await Promise.all([deaf.close(), other.close()])));
    await other.put('token', 'good');
    expect(await deaf.recent('token')).toBe('good');
    expect(await deaf.recent('revoked')).toBeUndefined();
    await other.delete('token');
    await other.put('revoked', true);
    expect(await deaf.get('token')).toBeUndefined();
    await sleep(900);
    expect(await deaf.recent('token')).toBeUndefined();
    expect(await deaf.recent('revoked')).toBe(true);
  });

  it('removes what is over, however much it is', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const database = await opened(await freshDatabase());
    const [state, counts] = [openPostgresState(database), openRequestCounts(database)];
    onTestFinished(async () => void (await Promise.all([state.close(), counts.close()])));
    for (const columns of ['state (key, value, expires_at)', 'request_count (key, requests, ends_at)'])
      await database.query(
        `insert into quire.${columns} select 'old ' || n, '1', 1 from generate_series(1, 12000) n`,
      );
    await state.put('kept', 1, 3600);
    await counts.add([{ key: 'kept', requests: 1, spanMs: 3_600_000 }]);
    vi.advanceTimersByTime(5 * 60_000);
    for (const table of ['state', 'request_count'])
      await expect
        .poll(() => database.repeatable(`select key from quire.${table} limit 3`), { timeout: 10_000 })
        .toEqual([{ key: 'kept' }]);
  });

  it('goes on after every connection was cut, with each change made once', async () => {
    const url = await freshDatabase();
    const database = await opened(url);
    await database.query('create table counted (n integer)');
    const cutting = (async () => {
      for (let at = 0; at < 5; at++) {
        await sleep(20);
        await cutConnections(url);
      }
    })();
    let made = 0;
    while (made < 60) {
      await database.query('insert into counted values ($1)', [++made]);
      await sleep(2);
    }
    await cutting;
    const [row] = await database.repeatable<{ n: number; most: number }>(
      'select count(*) as n, count(distinct n) as most from counted',
    );
    expect(row).toEqual({ n: 60, most: 60 });
  });

  it('hears notifications again after its connection was cut', async () => {
    const url = await freshDatabase();
    const database = await opened(url);
    const heard: string[] = [];
    let gaps = 0;
    database.listen(
      'news',
      (payload) => heard.push(payload),
      () => gaps++,
    );
    await expect.poll(() => gaps).toBe(1);
    await cutConnections(url);
    await expect.poll(() => gaps).toBe(2);
    await database.query("select pg_notify('news', 'hello')");
    await expect.poll(() => heard).toEqual(['hello']);
  });

  it('says that the database is away, as an error and not as nothing found', async () => {
    const database = openDatabase('postgres://quire@127.0.0.1:1/none', { log: silentLog, patienceMs: 50 });
    onTestFinished(() => database.close());
    const state = openPostgresState(database);
    onTestFinished(() => state.close());
    const away = { code: 'upstream_failed', title: 'The database cannot be reached' };
    await expect(state.get('k')).rejects.toMatchObject(away);
    await expect(state.put('k', 1)).rejects.toMatchObject(away);
    await expect(state.recent('k')).rejects.toMatchObject(away);
    await expect(state.swap('k', undefined, 1)).rejects.toMatchObject(away);
    await expect(state.take('k')).rejects.toMatchObject(away);
    await expect(state.list('')).rejects.toMatchObject(away);
    await expect(database.check()).rejects.toMatchObject(away);
  });

  it('waits longer and longer before it listens again to a database that is away', async () => {
    let refused = 0;
    const server = createServer((socket) => {
      refused++;
      socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const database = openDatabase(`postgres://quire@127.0.0.1:${port}/none`, { log: silentLog });
    onTestFinished(() => database.close());
    database.listen(
      'news',
      () => {},
      () => {},
    );
    await sleep(400);
    expect(refused).toBeGreaterThan(1);
    expect(refused).toBeLessThan(12);
  });

  it('gives up a statement that takes too long, and the connection with it', async () => {
    const url = await freshDatabase();
    await opened(url);
    const database = await opened(url, { statementMs: 500, patienceMs: 100 });
    await expect(database.repeatable('select pg_sleep(5)')).rejects.toMatchObject({
      code: 'upstream_failed',
    });
    expect(await database.repeatable('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('says that all connections are taken, which is not a database that is away', async () => {
    const database = await opened(await freshDatabase(), { connections: 1, connectMs: 100 });
    const sleeping = database.repeatable('select pg_sleep(1)');
    await expect(database.repeatable('select 1')).rejects.toMatchObject({
      title: 'Too many calls wait for the database',
      reason: 'busy',
    });
    await sleeping;
    expect(await database.repeatable('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('says of a database that takes no changes, such as a standby, that it is away', async () => {
    const url = await freshDatabase();
    await (await opened(url)).query(
      `alter database ${/@\/(\w+)/.exec(url)?.[1]} set default_transaction_read_only = on`,
    );
    const database = openDatabase(url, { log: silentLog });
    onTestFinished(() => database.close());
    await expect(database.check()).rejects.toMatchObject({ title: 'The database cannot be reached' });
  });

  it('undoes a transaction whose body fails', async () => {
    const database = await opened(await freshDatabase());
    await database.query('create table t (n integer)');
    const failing = database.transaction(async (queries) => {
      await queries.query('insert into t values (1)');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await database.repeatable('select * from t')).toEqual([]);
  });

  it('makes its tables once, however many servers start at the same time', async () => {
    const url = await freshDatabase();
    const databases = await Promise.all(Array.from({ length: 4 }, () => opened(url)));
    const rows = await databases[0]?.repeatable('select version from quire.migration order by version');
    expect(rows).toEqual(STATE_MIGRATIONS.map(({ version }) => ({ version })));
  });

  it('makes a second schema once, by connections that have made another one before', async () => {
    const url = await freshDatabase();
    const steps = [
      { version: 1, name: 'one', sql: 'create table {{schema}}.t (n int); select pg_sleep(0.2)' },
    ];
    const databases = await Promise.all([1, 2, 3].map(() => opened(url, { connections: 1 })));
    for (const [at, database] of databases.entries()) await migrate(database, { schema: `own_${at}`, steps });
    await Promise.all(databases.map((database) => migrate(database, { schema: 'shared', steps })));
    expect(await databases[0]?.repeatable('select version from shared.migration')).toEqual([{ version: 1 }]);
  });

  it('goes on when the tables of a notebook beside it are gone', async () => {
    const database = await opened(await freshDatabase());
    const sql = 'create table {{schema}}.example (n integer)';
    await migrate(database, { schema: 'notes', steps: [{ version: 1, name: 'example', sql }] });
    await database.query('drop schema notes cascade');
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('takes the time that a step needs, whatever statements may take, and so do the servers that wait', async () => {
    const url = await freshDatabase();
    const name = /@\/(\w+)/.exec(url)?.[1];
    const first = openDatabase(url, { log: silentLog });
    onTestFinished(() => first.close());
    await first.query(`alter database ${name} set statement_timeout = '400ms'`);
    await first.query(`alter database ${name} set lock_timeout = '400ms'`);
    const steps = [
      { version: 1, name: 'slow', sql: 'create table {{schema}}.t (n int); select pg_sleep(1.5)' },
    ];
    const makes = [1, 2].map(async () => {
      const database = openDatabase(url, { log: silentLog, statementMs: 400, patienceMs: 100 });
      onTestFinished(() => database.close());
      await migrate(database, { schema: 'slow', steps });
      await expect(database.repeatable('select pg_sleep(1)')).rejects.toMatchObject({
        code: 'upstream_failed',
      });
      return database.repeatable('select version from slow.migration');
    });
    expect(await Promise.all(makes)).toEqual([[{ version: 1 }], [{ version: 1 }]]);
  });

  it('says that the database ended a statement, as an error of the database', async () => {
    const database = await opened(await freshDatabase());
    const ended = database.transaction(async ({ query }) => {
      await query("set local statement_timeout = '50ms'");
      await query('select pg_sleep(5)');
    });
    await expect(ended).rejects.toMatchObject({
      code: 'upstream_failed',
      title: 'The database ended a statement that took too long',
    });
  });

  it('logs why changes are refused by a database that can be reached', async () => {
    const lines: unknown[] = [];
    const log: typeof silentLog = (_, message, fields) => void lines.push([message, fields?.reason]);
    const database = await opened(await freshDatabase(), { patienceMs: 100, log });
    const refused = () =>
      database.transaction(async ({ query }) => {
        await query('set transaction read only');
        await query('create table quire.t (n int)');
      });
    for (let count = 0; count < 3; count++)
      await expect(refused()).rejects.toMatchObject({ title: 'The database cannot be reached' });
    const why = expect.stringContaining('read-only transaction');
    expect(lines).toEqual([['the database does not do what it is asked', why]]);
  });

  it('refuses tables of a newer program', async () => {
    const database = await opened(await freshDatabase());
    await database.query("insert into quire.migration (version, name) values (999, 'later')");
    await expect(migrate(database, SCHEMA)).rejects.toMatchObject({
      code: 'conflict',
      title: 'The database was used by a newer Quire',
    });
    await database.query('create role an_older_user login');
    await database.query('grant usage on schema quire to an_older_user');
    await database.query('grant select on all tables in schema quire to an_older_user');
    const user = openDatabase(database.url.replace('quire@', 'an_older_user@'), { log: silentLog });
    onTestFinished(() => user.close());
    await expect(migrate(user, SCHEMA)).rejects.toMatchObject({ code: 'conflict' });
  });
});
