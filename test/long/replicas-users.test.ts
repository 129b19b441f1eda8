/** Users in a database that servers share: what one changes, the others follow; and `quire users` goes to the database. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { genSaltSync, hashSync } from 'bcryptjs';
import { expect, onTestFinished, test } from 'vitest';
import { stepAt, totpCode } from '../../src/oauth/factors/totp.ts';
import { carryOut } from '../../src/oauth/users.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openDatabase } from '../../src/state/postgres/database.ts';
import { migrate } from '../../src/state/postgres/migrate.ts';
import { STATE_MIGRATIONS, STATE_SCHEMA } from '../../src/state/postgres/schema.ts';
import { openPostgresState } from '../../src/state/postgres/state.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { CLEAN_ENVIRONMENT } from '../kit/temp.ts';
import { type OAuthServer, openServer } from '../oauth/kit.ts';

const BINARY = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));
const PASSWORD = 'password of kim';

async function serverOn(url: string): Promise<OAuthServer> {
  const database = openDatabase(url, { log: silentLog, connections: 4, connectMs: 60_000 });
  onTestFinished(() => database.close());
  await migrate(database, { schema: STATE_SCHEMA, steps: STATE_MIGRATIONS });
  const state = openPostgresState(database);
  onTestFinished(() => state.close());
  return openServer({ state, now: Date.now });
}

async function isIn(served: OAuthServer): Promise<boolean> {
  const browser = served.browser();
  await browser.open('/account');
  return (await browser.logIn('kim', PASSWORD)).status === 303;
}

describeWith(postgresNeed, 'users on PostgreSQL', () => {
  test('are added, changed and disabled for all servers, from each of them and from a terminal', async () => {
    const url = await freshDatabase();
    const [first, second] = [await serverOn(url), await serverOn(url)];
    const hash = hashSync(PASSWORD, genSaltSync(4));
    const add = { action: 'add', name: 'kim', hash, role: 'writer' } as const;
    // At the same time on both: one adds, the other is told.
    const outcomes = await Promise.allSettled(
      [first, second].map(({ server }) => carryOut(server.pages.directory, add, 'operator')),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect([await isIn(first), await isIn(second)]).toEqual([true, true]);
    const child = spawn(process.execPath, [BINARY, 'users', 'disable', 'kim', '--state', url], {
      env: CLEAN_ENVIRONMENT,
    });
    expect((await once(child, 'close'))[0]).toBe(0);
    expect([await isIn(first), await isIn(second)]).toEqual([false, false]);
  });

  test('a code is accepted by one of all servers', async () => {
    const url = await freshDatabase();
    const servers = [await serverOn(url), await serverOn(url), await serverOn(url)];
    const [{ server }] = servers as [OAuthServer];
    const secret = await server.pages.factors.beginTotp('alex');
    const now = stepAt(Date.now());
    expect(await server.pages.factors.confirmTotp('alex', totpCode(secret, now - 1))).toBe(true);
    const code = totpCode(secret, stepAt(Date.now()));
    const outcomes = await Promise.all(
      servers.map((one) => one.server.pages.factors.check('alex', { kind: 'code', code })),
    );
    expect(outcomes.sort()).toEqual(['accepted', 'refused', 'refused']);
  });
});
