/** Replicas replaced one by one behind the proxy of `deploy/`, while clients of both eras read and write. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import bcrypt from 'bcryptjs';
import { expect } from 'vitest';
import { caddyNeed, startCaddy } from '../kit/caddy.ts';
import { connectHttp, freePort, startHttp } from '../kit/http.ts';
import { connectApp } from '../kit/login.ts';
import { describeWith, testWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { temporaryFolder } from '../kit/temp.ts';

const SETTINGS = fileURLToPath(new URL('../../deploy/quire.replicas.yaml', import.meta.url));
const ADMIN = { username: 'admin', password: 'correct horse battery' };
const ADDRESSES = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];

/** Three replicas with the settings of `deploy/`, but for the limits and the proxy that they believe. */
async function startReplicas() {
  const port = await freePort();
  const origin = await startCaddy(ADDRESSES, port);
  const settings = (await readFile(SETTINGS, 'utf8'))
    .replace('serve:\n', 'serve:\n  requestsPerMinute: 0\n  callsPerMinute: 0\n')
    .replace('[private]', '[loopback]');
  const folder = await temporaryFolder({ 'quire.yaml': settings });
  const env = {
    DATABASE_URL: await freshDatabase(),
    QUIRE_PUBLIC_URL: origin,
    QUIRE_ADMIN_HASH: bcrypt.hashSync(ADMIN.password, 4),
  };
  const start = (address: string) =>
    startHttp(['serve', '--config', join(folder, 'quire.yaml'), '--host', address, '--port', `${port}`], {
      ...env,
      XDG_CACHE_HOME: join(folder, address),
    });
  const servers = [];
  for (const address of ADDRESSES) servers.push(await start(address));
  return { origin, start, servers };
}

describeWith(postgresNeed, 'replicas that are replaced one by one', () => {
  testWith(caddyNeed, 'lose no request, of any size and of either era', async () => {
    const { origin, start, servers } = await startReplicas();
    const { access_token: token } = await connectApp(origin, ADMIN);
    const modes = ['auto', 'legacy', 'auto', 'legacy'] as const;
    const clients = await Promise.all(modes.map((mode) => connectHttp(origin, { token, mode })));
    let isDone = false;
    const written: string[] = [];
    const failures: string[] = [];
    const work = clients.map(async (client, n) => {
      const call = async (name: string, args: Record<string, unknown>) => {
        const answer = await client.callTool({ name, arguments: args }).catch((error: Error) => error);
        if (!(answer instanceof Error) && !answer.isError) return true;
        failures.push(
          `${modes[n]}: ${answer instanceof Error ? answer.message : JSON.stringify(answer.content)}`,
        );
        return false;
      };
      for (let count = 0; !isDone; count++) {
        const path = `${n}/${count}.md`;
        const content = 'word '.repeat(count % 10 === 0 ? 200_000 : 10);
        if (await call('write_note', { path, content })) written.push(path);
        await call('list_directory', { path: '' });
      }
    });
    for (const [at, server] of servers.entries()) {
      await expect.poll(() => written.length, { timeout: 60_000 }).toBeGreaterThan((at + 1) * 12);
      expect(await server.stop()).toBe(0);
      await start(ADDRESSES[at]!);
    }
    isDone = true;
    await Promise.all(work);
    expect(failures).toEqual([]);
    const listed = await clients[0]!.callTool({ name: 'list_directory', arguments: { path: '0' } });
    const files: string[] = JSON.parse((listed.content[0] as { text: string }).text).files;
    const own = written.filter((path) => path.startsWith('0/')).map((path) => path.slice(2));
    expect([...files].sort()).toEqual(own.sort());
  });
});
