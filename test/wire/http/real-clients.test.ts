/** Clients other people wrote find their way in: discovery, registration, login, consent, token, call. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import bcrypt from 'bcryptjs';
import { expect, onTestFinished, test } from 'vitest';
import { freePort, startHttp } from '../../kit/http.ts';
import { approve } from '../../kit/login.ts';
import { temporaryFolder } from '../../kit/temp.ts';

const ALEX = { username: 'alex', password: 'correct horse battery' };
const HASH = bcrypt.hashSync(ALEX.password, 4);
const require = createRequire(import.meta.url);
const LIMIT_MS = 60_000;

test(
  'mcp-remote logs in, calls, and refreshes nothing it need not',
  async () => {
    const { origin } = await serveVault();
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
    expect((await client.listTools()).tools).toHaveLength(6);
    const read = await client.callTool({ name: 'vault_read', arguments: { path: 'a.md' } });
    expect(read.isError).toBeFalsy();
  },
  LIMIT_MS,
);

test(
  'the Inspector logs in and lists the tools',
  async () => {
    const { origin } = await serveVault();
    const home = await temporaryFolder();
    const script = join(
      dirname(require.resolve('@modelcontextprotocol/inspector/package.json')),
      inspectorScript(),
    );
    const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
    const child = spawn(
      process.execPath,
      [
        script,
        '--cli',
        '--format',
        'json',
        '--server-url',
        `${origin}/mcp`,
        '--transport',
        'http',
        '--callback-url',
        callback,
        '--method',
        'tools/list',
      ],
      {
        env: {
          PATH: dirname(process.execPath),
          HOME: home,
          MCP_INSPECTOR_SECRET_STORE: 'file',
          MCP_AUTO_OPEN_ENABLED: 'true',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      out += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await bringBack(await addressIn(child.stderr));
    expect(await ended).toBe(0);
    expect(out).toContain('vault_read');
  },
  LIMIT_MS,
);

function inspectorScript(): string {
  const { bin } = require('@modelcontextprotocol/inspector/package.json') as {
    bin: string | Record<string, string>;
  };
  return typeof bin === 'string' ? bin : (Object.values(bin)[0] ?? '');
}

async function serveVault() {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const folder = await temporaryFolder({ 'a.md': 'alpha' });
  return startHttp(
    ['vault', '--vault-path', folder, '--listen-addr', `127.0.0.1:${port}`, '--server-url', origin],
    { AUTH_USERS: `alex:${HASH}` },
  );
}

/** The address a client wants a person to open, from what it says. */
function addressIn(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nobody was sent anywhere: ${text}`)), LIMIT_MS / 2);
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
