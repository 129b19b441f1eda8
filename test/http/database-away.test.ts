/** A server whose database cannot be reached, or not be used: it says which and what to do, and never the password. */
import { expect, it } from 'vitest';
import { openStateDatabase } from '../../src/app/database.ts';
import { siteErrors } from '../../src/http/app.ts';
import { openToAll } from '../../src/oauth/answers.ts';
import { AppError } from '../../src/shared/errors.ts';
import { silentLog } from '../../src/shared/log.ts';
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

  it('names a user who may not make the tables', async () => {
    const url = await freshDatabase();
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('drop role if exists reader');
    await client.query('create role reader login');
    await client.end();
    const start = openStateDatabase({ state: { postgres: url.replace('quire@', 'reader@') } }, silentLog);
    await expect(start).rejects.toMatchObject({ title: 'The database user may not make its tables' });
  });
});
