/** A pooler in transaction mode between Quire and its database: each statement may reach another connection. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openStateDatabase } from '../../src/app/database.ts';
import { openReplicas } from '../../src/mcp/http/replicas/open.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openPostgresState } from '../../src/state/postgres/state.ts';
import { serveOn } from '../conformance/replicas.ts';
import { WATCHED } from '../conformance/resources.ts';
import { eventsOf, messagesOf, nextEvent, openSession, sessionWith } from '../conformance/wire.ts';
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
  await expect.poll(answers, { timeout: 10_000 }).toBe(true);
  return `postgres://quire@127.0.0.1:${port}/${name}`;
}

describeWith(need, 'behind a pooler in transaction mode', () => {
  it('knows that it hears no notifications, and looks for itself', async () => {
    const direct = await freshDatabase();
    const pooled = await startPooler(direct);
    const lines: unknown[] = [];
    const log: typeof silentLog = (_, message, fields) => void lines.push([message, fields?.reason]);
    const database = await openStateDatabase({ state: { postgres: pooled } }, log);
    if (!database) throw new Error('no database was opened');
    onTestFinished(() => database.close());
    const state = openPostgresState(database);
    onTestFinished(() => state.close());
    const told: string[] = [];
    state.watch((key) => told.push(key));
    const listening = database.listen(
      'own',
      () => {},
      () => {},
    );
    const deaf = ['notifications of the database are not heard', 'Error: notifications do not arrive'];
    await expect.poll(() => lines, { timeout: 8_000 }).toContainEqual(deaf);
    told.length = 0;
    // Over several attempts to listen: a stream whose token was revoked is ended by this.
    for (let seconds = 0; seconds < 6; seconds++) {
      await sleep(1_000);
      expect(listening.isLive()).toBe(false);
    }
    expect(told.length).toBeGreaterThan(5);
    expect(lines).toEqual([deaf]);
  });

  it('tells of changes that subscribers of another replica hear', async () => {
    const pooled = await startPooler(await freshDatabase());
    const hubs = await Promise.all(
      [1, 2].map(async () => {
        const database = await openStateDatabase({ state: { postgres: pooled } }, silentLog);
        if (!database) throw new Error('no database was opened');
        return { database, replicas: await openReplicas(database, { log: silentLog }) };
      }),
    );
    onTestFinished(async () => {
      for (const { replicas, database } of hubs) {
        await replicas.close();
        await database.close();
      }
    });
    const { servers, changed } = await serveOn(hubs);
    const [first, second] = servers;
    if (!first || !second) throw new Error('two servers are needed');
    const session = await openSession(first);
    const events = eventsOf(await session.listen());
    await nextEvent(events);
    const subscribe = { id: 1, method: 'resources/subscribe', params: { uri: WATCHED } };
    expect(await messagesOf(await sessionWith(second.url, session.id).send(subscribe))).toHaveLength(1);
    const told = nextEvent(events);
    // A second is promised, of a machine that is not busy.
    const changing = setInterval(() => changed(WATCHED), 500);
    onTestFinished(() => clearInterval(changing));
    expect(await told).toMatchObject({ message: { params: { uri: WATCHED } } });
  });

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
