/** A backup that is taken while servers write, and a server that starts on what was restored from it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import bcrypt from 'bcryptjs';
import { expect, it } from 'vitest';
import { type PlaneFolder, planeFolder, shop } from '../governance/plane-kit.ts';
import { connectHttp, freePort, startHttp } from '../kit/http.ts';
import { connectApp, requestToken } from '../kit/login.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { runPostgres } from '../kit/postgres-cluster.ts';
import { startReplicas } from '../kit/replicas.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

const BINARY = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));
const ALEX = { username: 'alex', password: 'correct horse battery' };
const KIM = { username: 'kim', password: 'password of kim' };
const WRITE = ['call', 'shop', 'write_note', '--arg', 'path=a', '--json'];

/** As docs/operate/replicas.md says. */
async function dump(url: string): Promise<string> {
  const file = join(await temporaryFolder(), 'quire.dump');
  await runPostgres('pg_dump', '--format=custom', `--file=${file}`, url);
  return file;
}

async function restore(file: string): Promise<string> {
  const url = await freshDatabase();
  await runPostgres('pg_restore', '--clean', '--if-exists', `--dbname=${url}`, file);
  return url;
}

async function addUser(url: string, { username, password }: typeof KIM): Promise<void> {
  const child = spawn(process.execPath, [BINARY, 'users', 'add', username, '--state', url], {
    env: CLEAN_ENVIRONMENT,
  });
  child.stdin.end(`${password}\n`);
  expect((await once(child, 'close'))[0]).toBe(0);
}

async function textOf(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const answer = await client.callTool({ name, arguments: args });
  expect(answer.isError, JSON.stringify(answer)).toBeFalsy();
  const [block] = answer.content;
  return block?.type === 'text' ? block.text : '';
}

describeWith(postgresNeed, 'a backup of replicas', () => {
  it('has notes, history, users and logins of one moment, and a server starts on it', async () => {
    const database = await freshDatabase();
    const folder = await temporaryFolder({
      'quire.yaml': [
        `notebooks: { team: { postgres: "\${env:QUIRE_STATE}", schema: notes } }`,
        'auth: { mode: oauth }',
        'serve: { requestsPerMinute: 0, callsPerMinute: 0 }',
      ].join('\n'),
    });
    const options = {
      args: ['--config', join(folder, 'quire.yaml')],
      env: { QUIRE_AUTH_USERS: `${ALEX.username}:${bcrypt.hashSync(ALEX.password, 4)}` },
    };
    const { origin, servers, proxy } = await startReplicas(2, { database, ...options });
    await addUser(database, KIM);
    const app = await connectApp(origin, ALEX);
    const client = await connectHttp(origin, { token: app.access_token });
    const write = (path: string, content: string) => textOf(client, 'write_note', { path, content });
    await write('kept.md', '# First\n');
    await write('kept.md', '# Second\n');
    let isDumped = false;
    const written: string[] = [];
    const writing = (async () => {
      for (let count = 0; !isDumped; count++) {
        await write(`while/${count}.md`, `# ${count}\n`);
        written.push(`${count}.md`);
      }
    })();
    await expect.poll(() => written.length).toBeGreaterThan(2);
    const before = [...written];
    const file = await dump(database);
    isDumped = true;
    await writing;
    await write('after.md', '# Too late\n');
    for (const server of servers) await server.stop();

    const restored = await restore(file);
    const port = await freePort();
    const place = ['--port', `${port}`, '--public-url', origin, '--trusted-proxies', '127.0.0.1'];
    await startHttp(['serve', ...options.args, ...place], { QUIRE_STATE: restored, ...options.env });
    proxy.targets = [`http://127.0.0.1:${port}`];
    const again = await connectHttp(origin, { token: app.access_token });
    expect(await textOf(again, 'read_note', { path: 'kept.md' })).toContain('# Second');
    const { files }: { files: string[] } = JSON.parse(
      await textOf(again, 'list_directory', { path: 'while' }),
    );
    // All that was acknowledged before, and nothing after a gap.
    expect(files).toEqual(expect.arrayContaining(before));
    expect(files.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b)).toEqual(
      files.map((_, count) => count),
    );
    expect(await textOf(again, 'list_directory', {})).not.toContain('after.md');
    const { changes } = JSON.parse(await textOf(again, 'list_changes', { path: 'kept.md', limit: 1 }));
    await textOf(again, 'undo_changes', { id: changes[0].id });
    expect(await textOf(again, 'read_note', { path: 'kept.md' })).toContain('# First');
    expect(await textOf(again, 'search_notes', { query: 'First' })).toContain('kept.md');
    const form = {
      grant_type: 'refresh_token',
      client_id: app.clientId,
      refresh_token: app.refresh_token,
    };
    expect((await requestToken(origin, form)).status).toBe(200);
    await connectApp(origin, KIM);
  });

  it('has lost the last records of the audit log, which is said until it is acknowledged', async () => {
    const [database, home] = [await freshDatabase(), await temporaryFolder()];
    const section = { mcp_audit: { key_file: join(home, 'audit.key') } };
    const planeOn = (postgres: string): Promise<PlaneFolder> =>
      planeFolder([shop()], section, { state: { postgres } });
    const plane = await planeOn(database);
    expect((await plane.start(WRITE).ended).code).toBe(12);
    const file = await dump(database);
    await plane.start(WRITE).ended;
    const restored = await planeOn(await restore(file));
    expect((await restored.run('audit', 'verify')).code).not.toBe(0);
    expect((await restored.start(WRITE).ended).code).not.toBe(12);
    expect(await restored.run('audit', 'acknowledge', '--reason', 'restored')).toMatchObject({ code: 0 });
    expect((await restored.start(WRITE).ended).code).toBe(12);
    expect(await restored.run('audit', 'verify')).toMatchObject({ code: 0 });
  });
});
