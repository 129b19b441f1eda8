/** Clients other people wrote find their way in: discovery, registration, login, consent, token, call, refresh. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import bcrypt from 'bcryptjs';
import { expect, onTestFinished, test } from 'vitest';
import { freePort, startHttp } from '../kit/http.ts';
import { approve } from '../kit/login.ts';
import { testWith } from '../kit/needs.ts';
import { INSPECTOR, inspector } from '../kit/programs.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { TOOL_COUNT } from '../kit/tool-count.ts';

const ALEX = { username: 'alex', password: 'correct horse battery' };
const HASH = bcrypt.hashSync(ALEX.password, 4);
const require = createRequire(import.meta.url);
const LIMIT_MS = 60_000;

/** Long enough for a call, short enough to be over by the next. */
const ACCESS_SECONDS = 2;
const pastAccess = () => sleep(ACCESS_SECONDS * 1000 + 200);

test(
  'mcp-remote logs in, calls, and goes on by itself when its token is over',
  async () => {
    const { origin, count } = await serveVault();
    const home = await temporaryFolder();
    const script = join(dirname(require.resolve('mcp-remote/package.json')), 'dist/proxy.js');
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [script, `${origin}/mcp`, '--transport', 'http-only', '--auth-timeout', '40'],
      env: { PATH: '', HOME: home, MCP_REMOTE_CONFIG_DIR: home },
      stderr: 'pipe',
    });
    const sent = addressIn(transport.stderr as unknown as NodeJS.ReadableStream);
    const client = new Client({ name: 'test', version: '1' });
    onTestFinished(() => client.close());
    const connected = client.connect(transport, { timeout: LIMIT_MS });
    await bringBack(await sent);
    await connected;
    expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT.vault);
    for (let round = 1; round <= 2; round++) {
      const before = count('token refreshed');
      await pastAccess();
      const read = await client.callTool({ name: 'vault_read', arguments: { path: 'a.md' } });
      expect(textOf(read)).toContain('alpha');
      await expect.poll(() => count('token refreshed')).toBeGreaterThan(before);
    }
    expect([count('login succeeded'), count('client registered')]).toEqual([1, 1]);
  },
  LIMIT_MS,
);

testWith(inspector, 'the Inspector logs in once, calls, and refreshes what it has stored', async () => {
  const { origin, count } = await serveVault();
  const inspect = await inspectorFor(origin);
  const first = inspect(['--method', 'tools/list']);
  await bringBack(await addressIn(first.child.stderr));
  expect(await first.ended).toMatchObject({ code: 0, out: expect.stringContaining('vault_read') });
  const before = count('token refreshed');
  await pastAccess();
  const call = ['--stored-auth-only', '--method', 'tools/call', '--tool-name', 'vault_read'];
  const second = inspect([...call, '--tool-args-json', '{"path":"a.md"}']);
  expect(await second.ended).toMatchObject({ code: 0, out: expect.stringContaining('alpha') });
  await expect.poll(() => count('token refreshed')).toBeGreaterThan(before);
  expect([count('login succeeded'), count('client registered')]).toEqual([1, 1]);
});

/** Runs the Inspector's command line, again and again in the same home. */
async function inspectorFor(origin: string) {
  const home = await temporaryFolder();
  const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
  const server = ['--server-url', `${origin}/mcp`, '--transport', 'http', '--callback-url', callback];
  return (args: readonly string[]) => {
    const child = spawn(process.execPath, [INSPECTOR, '--cli', '--format', 'json', ...server, ...args], {
      env: {
        PATH: dirname(process.execPath),
        HOME: home,
        MCP_INSPECTOR_SECRET_STORE: 'file',
        MCP_AUTO_OPEN_ENABLED: 'true',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      err += chunk;
    });
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }));
    return { child, ended };
  };
}

function textOf(result: { content: unknown }): string {
  return (result.content as { text: string }[])[0]?.text ?? '';
}

async function serveVault() {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const folder = await temporaryFolder({
    'a.md': 'alpha',
    '.quire.yaml': `notebooks: {}\nauth: { accessHours: ${ACCESS_SECONDS / 3_600} }\n`,
  });
  const config = ['--config', join(folder, '.quire.yaml')];
  const server = await startHttp(
    [
      'vault',
      '--vault-path',
      folder,
      '--listen-addr',
      `127.0.0.1:${port}`,
      '--server-url',
      origin,
      ...config,
    ],
    { AUTH_USERS: `alex:${HASH}` },
  );
  const count = (message: string) => server.log().filter((line) => line.message === message).length;
  return { ...server, count };
}

/** The address a client wants a person to open, from what it says. */
function addressIn(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no page was opened: ${text}`)), LIMIT_MS / 2);
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const address = /https?:\/\/\S+\/authorize\?\S+/.exec(text)?.[0];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
  });
}

/** The person logs in, allows it, and the browser goes back to the client. */
async function bringBack(address: string): Promise<void> {
  const back = await approve(address, ALEX);
  expect((await fetch(back)).ok).toBe(true);
}
