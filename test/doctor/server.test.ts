/** What the doctor finds about a server over HTTP and the machine it is on. */

import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loginChecks } from '../../src/app/doctor/login-checks.ts';
import { clockCheck, machineChecks, nodeCheck } from '../../src/app/doctor/machine-checks.ts';
import { checkPort } from '../../src/app/doctor/port-check.ts';
import { startChecks } from '../../src/app/doctor/start-checks.ts';
import { stateChecks } from '../../src/app/doctor/state-checks.ts';
import { authSchema, serveSchema } from '../../src/config/http-schema.ts';
import { configSchema } from '../../src/config/schema.ts';
import type { CheckResult } from '../../src/shared/checks.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openFileState } from '../../src/state/file.ts';
import { temporaryFolder } from '../kit/temp.ts';

const HASH = '$2b$04$nRDCRZSnkoBDhMKmCGgmWuSMd6O1Pk2BlWLyhlV4pNYpxu5wQh6Z6';
const TOKEN = 'a-token-long-enough';
const lines = (results: readonly CheckResult[]) =>
  results.map(({ check, status, detail }) => `${status} ${check}: ${detail}`);

describe('the login', () => {
  const login = (auth: object, serve: object = {}) =>
    loginChecks(authSchema.parse(auth), serveSchema.parse(serve));

  test('every user with a bad hash is named, and no hash is shown', () => {
    const results = login({ mode: 'oauth', users: { me: HASH, you: 'secret-1', they: 'secret-2' } });
    expect(results.filter(({ status }) => status === 'fail').map(({ detail }) => detail)).toEqual([
      'The password hash of a user is not a bcrypt hash: you',
      'The password hash of a user is not a bcrypt hash: they',
    ]);
    expect(JSON.stringify(results)).not.toContain('secret-');
  });

  test('an admin who is no user', () => {
    const results = login({ mode: 'oauth', users: { me: HASH }, admins: ['me', 'root'] });
    expect(lines(results)).toContain('warn admins: No such user: root (auth.admins).');
  });

  test.each([
    [{}, 'ok address'],
    [{ publicUrl: 'https://notes.example.com' }, 'warn proxies'],
    [{ publicUrl: 'https://notes.example.com', trustedProxies: ['loopback'] }, 'ok proxies'],
    [{ publicUrl: 'http://notes.example.com' }, 'warn tls'],
    [{ publicUrl: 'http://127.0.0.1:8090', port: 8090 }, 'ok address'],
    [{ publicUrl: 'http://127.0.0.1:9000', port: 8090 }, 'warn address'],
  ])('the address %j', (serve, expected) => {
    const results = login({ mode: 'bearer', tokens: [TOKEN] }, serve);
    expect(lines(results).some((line) => line.startsWith(expected))).toBe(true);
    expect(JSON.stringify(results)).not.toContain(TOKEN);
  });
});

test('a port: free, taken, and not of this machine', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const taken = await checkPort({ host: '127.0.0.1', port });
  expect(taken.result).toMatchObject({
    status: 'fail',
    detail: `Cannot listen: 127.0.0.1:${port} (EADDRINUSE)`,
  });
  if (process.platform === 'linux') expect(taken.result.fix).toContain(`Process ${process.pid} (`);
  expect(taken.runningPid).toBeUndefined();
  expect((await checkPort({ host: '127.0.0.1', port: 0 })).result.status).toBe('ok');
  expect((await checkPort({ host: '192.0.2.1', port: 1234 })).result.detail).toContain('EADDRNOTAVAIL');
});

describe('the state folder', () => {
  const check = async (stateFolder: string | undefined, isNeeded = true) =>
    stateChecks({ stateFolder, isNeeded, cacheFolder: await temporaryFolder() });

  test('is not made by looking at it', async () => {
    const folder = await temporaryFolder();
    const results = await check(join(folder, 'not/there'));
    expect(lines(results)[0]).toBe(
      `ok folder: The state folder can be written: ${join(folder, 'not/there')}`,
    );
    expect(await readdir(folder)).toEqual([]);
    expect(results.map(({ check: name }) => name)).toEqual(['folder', 'space', 'cache']);
  });

  test('that another server uses, and one that is a file', async () => {
    const folder = await temporaryFolder({ file: 'x' });
    const state = await openFileState(join(folder, 'state'), { log: silentLog });
    expect((await check(join(folder, 'state')))[0]).toMatchObject({
      status: 'fail',
      detail: `The state folder is in use: ${join(folder, 'state')} (process ${process.pid})`,
    });
    await state.close();
    expect((await check(join(folder, 'state')))[0]?.status).toBe('ok');
    expect((await check(join(folder, 'file')))[0]?.detail).toContain('The state folder is a file');
    expect((await check(join(folder, 'file'), false))[0]?.status).toBe('warn');
    expect((await check(undefined))[0]?.status).toBe('skip');
  });
});

test('a rehearsed start leaves nothing behind', async () => {
  const folder = await temporaryFolder({ 'a.md': 'a' });
  const state = await temporaryFolder();
  const config = configSchema.parse({
    notebooks: { n: { folder } },
    serve: { port: 0 },
    auth: { mode: 'oauth', users: { me: HASH } },
    brain: {},
  });
  const results = await startChecks(config, 'http', {
    log: silentLog,
    cacheFolder: join(state, 'cache'),
    history: { folder: join(state, 'history'), days: 1, maxBytes: 1e6, required: true },
    stateFolderFor: () => join(state, 'state'),
  });
  expect(results.filter(({ status }) => status === 'fail')).toEqual([]);
  expect(lines(results)).toContain('ok start: It would start.');
  expect(await readdir(state)).toEqual([]);
  expect(await readdir(folder)).toEqual(['a.md']);
});

describe('the machine', () => {
  test('has versions and a clock', async () => {
    expect((await machineChecks()).map(({ check, status }) => `${check} ${status}`)).toEqual([
      'version ok',
      'node ok',
      'platform ok',
      'clock ok',
    ]);
  });

  test.each([
    ['18.20.0', 'warn'],
    ['20.18.9', 'warn'],
    ['20.19.0', 'ok'],
    ['22.1.0', 'ok'],
  ])('Node %s', (version, status) => {
    expect(nodeCheck(version, '>=20.19').status).toBe(status);
  });

  test('a clock that is wrong', () => {
    const now = Date.UTC(2026, 10, 17);
    expect(clockCheck(now, now).status).toBe('ok');
    expect(clockCheck(Date.UTC(1970, 0, 1), 0).status).toBe('warn');
    expect(clockCheck(now, now - 3_600_000).detail).toContain('3600 seconds apart');
  });
});
