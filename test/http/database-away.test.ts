/** A server whose database cannot be reached, or not be used: it says which and what to do, and never the password. */
import pg from 'pg';
import { expect, it } from 'vitest';
import { openStateDatabase } from '../../src/app/database.ts';
import { siteErrors } from '../../src/http/app.ts';
import { onPages, openToAll } from '../../src/oauth/answers.ts';
import { AppError } from '../../src/shared/errors.ts';
import { silentLog } from '../../src/shared/log.ts';
import { postgresKind } from '../../src/stores/postgres/kind.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';

const AWAY = new AppError('upstream_failed', 'The database cannot be reached', { hint: 'Try again.' });

it('answers 503 with the time to come back, on every route', async () => {
  const refusal = siteErrors(silentLog)(AWAY, { route: '/mcp' } as never);
  expect(refusal).toMatchObject({
    status: 503,
    error: 'The database cannot be reached',
    parts: { headers: { 'Retry-After': '5' }, answer: { hint: 'Try again.' } },
  });
  const failing = openToAll(() => Promise.reject(AWAY), silentLog);
  const answer = await failing(new Request('http://127.0.0.1/token'), {} as never);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('Retry-After')).toBe('5');
  expect(await answer.json()).toEqual({
    error: 'temporarily_unavailable',
    error_description: 'The database cannot be reached. Try again.',
  });
  const onPage = onPages(
    () => Promise.reject(AWAY),
    silentLog,
    () => new Response(),
  );
  const page = await onPage(new Request('http://127.0.0.1/account'), {} as never);
  expect([page.status, page.headers.get('Retry-After')]).toEqual([503, '5']);
  expect(await page.text()).toContain('Try again in a moment.');
});

describeWith(postgresNeed, 'a start with a database that cannot be used', () => {
  it('names the missing database, and where its address is set', async () => {
    const url = (await freshDatabase()).replace(/test_\d+/, 'absent');
    const start = openStateDatabase(
      { state: { postgres: url.replace('quire@', 'quire:hidden@') } },
      silentLog,
    );
    const error = (await start.catch((reason: unknown) => reason)) as AppError;
    expect(error).toMatchObject({ code: 'upstream_failed', title: 'There is no such database' });
    expect(error.hint).toMatch(/--state, QUIRE_STATE or state\.postgres/);
    expect(error.subject).toMatch(/\/quire-pg-\w+\/absent \(database "absent" does not exist\)$/);
    expect(`${error.message} ${error.subject}`).not.toContain('hidden');
  });

  it.each([
    [
      'may not make the tables',
      'a_stranger',
      [],
      'The database user may not make or use its tables',
      /permission denied for schema quire/,
    ],
    [
      'may only read them',
      'a_reader',
      ['grant usage on schema quire to a_reader', 'grant select on all tables in schema quire to a_reader'],
      'The database user may not make or use its tables',
      /no right to change quire\.\w+/,
    ],
    [
      'is let in for reading alone',
      'a_follower',
      [
        'grant all on schema quire to a_follower',
        'grant all on all tables in schema quire to a_follower',
        'alter role a_follower set default_transaction_read_only = on',
      ],
      'The database can only be read',
      /changes are not taken/,
    ],
  ])('names a user who %s', async (_, user, rights, title, reason) => {
    const url = await freshDatabase();
    await (await openStateDatabase({ state: { postgres: url } }, silentLog))?.close();
    await run(url, `drop role if exists ${user}`, `create role ${user} login`, ...rights);
    const start = openStateDatabase({ state: { postgres: url.replace('quire@', `${user}@`) } }, silentLog);
    const error = (await start.catch((cause: unknown) => cause)) as AppError;
    await run(url, `drop owned by ${user}`, `drop role ${user}`);
    expect(error).toMatchObject({ code: 'upstream_failed', title });
    expect(error.subject).toMatch(reason);
  });

  it('names a user who may not make the schema', async () => {
    const url = await freshDatabase();
    await run(url, 'create role nobody_yet login');
    const start = openStateDatabase({ state: { postgres: url.replace('quire@', 'nobody_yet@') } }, silentLog);
    await expect(start).rejects.toMatchObject({ title: 'The database user may not make or use its tables' });
  });

  it.each([
    ['tables of others', ['create schema quire', 'create table quire.state (n int)']],
    [
      'migrations of others',
      ['create schema quire', 'create table quire.migration (n int)', 'create table quire.epoch (n int)'],
    ],
  ])('names %s that are in the way, and touches nothing', async (_, made) => {
    const url = await freshDatabase();
    await run(url, ...made);
    const start = openStateDatabase({ state: { postgres: url } }, silentLog);
    await expect(start).rejects.toMatchObject({
      title: 'The database has other tables by the names of ours',
      subject: expect.stringMatching(/quire-pg-\w+\/test_\d+ \(/),
    });
    expect(await run(url, `select relname from pg_class where relname = 'mcp_session'`)).toEqual([]);
  });

  it('refuses a database whose texts are not in UTF-8', async () => {
    const url = await freshDatabase();
    await run(url, "create database latin encoding 'LATIN1' template template0 locale 'C'");
    const start = openStateDatabase({ state: { postgres: url.replace(/test_\d+/, 'latin') } }, silentLog);
    await expect(start).rejects.toMatchObject({ subject: 'its encoding is LATIN1' });
  });

  it('says the same of the database of a notebook, with the key of its address', async () => {
    const settings = { postgres: 'postgres://quire:hidden@127.0.0.1:1/absent' };
    const start = postgresKind.open(settings, { log: silentLog } as never);
    const error = (await start.catch((cause: unknown) => cause)) as AppError;
    expect(error.title).toBe('The database cannot be reached');
    expect(error.subject).toMatch(/^127\.0\.0\.1:1\/absent \(.*ECONNREFUSED/);
    expect(error.hint).toMatch(/set by the key postgres/);
    expect(error.message).not.toContain('hidden');
  });
});

/** Runs statements, and resolves to the rows of the last. */
async function run(url: string, ...statements: string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let rows: unknown[] = [];
  for (const statement of statements) rows = (await client.query(statement)).rows;
  await client.end();
  return rows;
}
