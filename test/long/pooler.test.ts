/** A pooler in transaction mode between Quire and its database: each statement may reach another connection. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openStateDatabase } from '../../src/app/database.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openPostgresState } from '../../src/state/postgres/state.ts';
import { freePort } from '../kit/http.ts';
import { describeWith, needOf, programNeed } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { temporaryFolder } from '../kit/temp.ts';

const bouncer = programNeed('pgbouncer', 'pgbouncer');
const need = needOf(bouncer.what, bouncer.install, bouncer.isMet && postgresNeed.isMet);

/** Two connections to the database for however many clients; resolves to the pooler's address. */
async function startPooler(database: string): Promise<string> {
  const folder = await temporaryFolder();
  const [, name = '', socket = ''] = /@\/(\w+)\?host=(.*)$/.exec(database) ?? [];
  const port = await freePort();
  const settings = `[databases]
* = host=${decodeURIComponent(socket)} user=quire
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
server_reset_query_always = 1
`;
  await writeFile(join(folder, 'pgbouncer.ini'), settings);
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  if (user.length > 0) execFileSync('chown', ['-R', 'postgres', folder]);
  const pooler = spawn('pgbouncer', ['-q', ...user, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
  onTestFinished(async () => {
    pooler.kill('SIGINT');
    if (pooler.exitCode === null) await once(pooler, 'exit');
  });
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  await expect.poll(answers).toBe(true);
  return `postgres://quire@127.0.0.1:${port}/${name}`;
}

describeWith(need, 'behind a pooler in transaction mode', () => {
  it('keeps state from many calls at once over two connections, and hears changes by the direct one', async () => {
    const direct = await freshDatabase();
    const pooled = await startPooler(direct);
    const servers = await Promise.all(
      [1, 2].map(async () => {
        const database = await openStateDatabase({ state: { postgres: pooled, direct } }, silentLog);
        if (!database) throw new Error('no database was opened');
        onTestFinished(() => database.close());
        const state = openPostgresState(database);
        onTestFinished(() => state.close());
        return state;
      }),
    );
    const [one, two] = servers;
    await Promise.all(Array.from({ length: 300 }, (_, at) => servers[at % 2]?.put(`k:${at}`, at)));
    expect(await one?.list('k:')).toHaveLength(300);
    const taken = await Promise.all(Array.from({ length: 100 }, (_, at) => servers[at % 2]?.take('k:7')));
    expect(taken.filter((value) => value !== undefined)).toEqual([7]);
    // Read into the cache of the one, changed by the other: told by notification, not by age.
    await two?.put('told', 1);
    await expect.poll(() => one?.get('told')).toBe(1);
    const changed = two?.put('told', 2);
    await changed;
    await sleep(200);
    expect(await one?.get('told')).toBe(2);
  });
});
