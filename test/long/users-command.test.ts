/** `quire users` from a terminal, on a server that runs and on one that does not. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { connectApp, PASSWORD, serveConsole } from '../kit/console.ts';
import { INITIALIZE, post } from '../kit/http.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

const BINARY = fileURLToPath(new URL('../../dist/quire.cjs', import.meta.url));

async function users(args: readonly string[], input?: string) {
  const child = spawn(process.execPath, [BINARY, 'users', ...args], { env: CLEAN_ENVIRONMENT });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  child.stdin.end(input === undefined ? '' : `${input}\n`);
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, err };
}

async function listed(place: readonly string[]) {
  const { out } = await users(['list', '--json', ...place]);
  return (JSON.parse(out) as { users: { name: string; role: string; isDisabled: boolean }[] }).users;
}

test('quire users works on a server that runs, and on one that does not', async () => {
  const notes = await temporaryFolder({ 'a.md': 'alpha' });
  const state = join(await temporaryFolder(), 'state');
  const server = await serveConsole({
    config: { notebooks: { notes: { folder: notes } }, state: { dir: state } },
    users: ['alex'],
  });
  const { origin } = server;
  const place = ['--state-dir', state];
  expect(await users(['add', 'kim', '--role', 'reader', ...place], PASSWORD)).toMatchObject({
    code: 0,
    out: 'kim may log in now, as reader.\n',
  });
  const { token } = await connectApp({ origin }, 'kim');
  const opens = async () => (await post(origin, INITIALIZE, { Authorization: `Bearer ${token}` })).status;
  expect(await opens()).toBe(200);
  expect(await users(['disable', 'kim', ...place])).toMatchObject({ code: 0 });
  expect(await opens()).toBe(401);
  expect(await users(['disable', 'alex', ...place])).toMatchObject({
    err: expect.stringMatching(/in the configuration/),
  });
  expect(await users(['add', 'kim', ...place], PASSWORD)).toMatchObject({
    err: expect.stringMatching(/There is a user of this name/),
  });
  expect(await users(['add', 'lee', ...place], 'short')).toMatchObject({
    err: expect.stringMatching(/too short/),
  });
  await server.stop();
  expect(await users(['role', 'kim', 'admin', ...place])).toMatchObject({ code: 0 });
  expect(await users(['enable', 'kim', ...place])).toMatchObject({ code: 0 });
  expect(await listed(place)).toMatchObject([{ name: 'kim', role: 'admin', isDisabled: false }]);
  expect(await readdir(join(state, 'requests'))).toEqual([]);
  const kept = await readFile(join(state, 'state.jsonl'), 'utf8');
  for (const text of [kept, server.rawLog(), server.errors()]) expect(text).not.toContain(PASSWORD);
  expect(server.rawLog()).not.toContain('$2b$');
});
