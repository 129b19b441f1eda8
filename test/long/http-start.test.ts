/**
 * How a server over HTTP starts: with everything open, or not at all. While it is not ready no client can connect, and what
 * keeps it from starting ends the process with a code and a line that says what to do.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort, startHttp } from '../kit/http.ts';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

const HASH = '$2b$04$nRDCRZSnkoBDhMKmCGgmWuSMd6O1Pk2BlWLyhlV4pNYpxu5wQh6Z6';
const UNPRIVILEGED_ID = 65_534;

interface ExitResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Connections that were taken before it ended. */
  readonly connections: number;
}

interface Start {
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
  readonly uid?: number;
}

/** Starts the binary, and knocks at its port for as long as it lives. */
async function startAndKnock(port: number, { args, env = {}, uid }: Start): Promise<ExitResult> {
  const home = await temporaryFolder();
  const child = spawn(process.execPath, [BINARY, ...args], {
    env: { ...CLEAN_ENVIRONMENT, HOME: home, XDG_STATE_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid }),
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk) => {
      text[name] += chunk;
    });
  onTestFinished(() => void child.kill('SIGKILL'));
  const knocking = knock(child, port);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...text, connections: await knocking };
}

async function knock(child: ChildProcess, port: number): Promise<number> {
  let taken = 0;
  while (child.exitCode === null && child.signalCode === null) {
    if (await isTaken(port)) taken++;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return taken;
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    onTestFinished(() => void socket.destroy());
  });
}

/** The vault with a login, whose state is in that folder. */
function vault(vaultPath: string, port: number, state: string, user = `me:${HASH}`): string[] {
  return [
    ...['vault', '--vault-path', vaultPath, '--listen-addr', `127.0.0.1:${port}`],
    ...['--auth-users', user, '--state-dir', state],
  ];
}

type Way = (
  folder: string,
  port: number,
) => Promise<Start & { readonly says: RegExp; readonly code?: number }>;

const WAYS: Readonly<Record<string, Way>> = {
  'a password hash that is none': async (folder, port) => ({
    args: vault(folder, port, join(folder, 'state'), 'me:secret-not-a-hash'),
    says: /not a bcrypt hash: me\n.*hash-password/,
  }),
  'a state folder that another server uses': async (folder, port) => {
    const state = join(folder, 'state');
    const other = await startHttp(vault(folder, await freePort(), state));
    return {
      args: vault(folder, port, state),
      says: new RegExp(
        `The state folder is in use: ${state} \\(process ${other.process.pid}\\)\n.*Stop that one`,
      ),
      code: 1,
    };
  },
  'a state folder that is a file': async (folder, port) => {
    await writeFile(join(folder, 'state'), 'x');
    return {
      args: vault(folder, port, join(folder, 'state')),
      says: /The state folder is a file: \S+state \(EEXIST\)\n.*--state-dir/,
    };
  },
  'a state folder below a file': async (folder, port) => {
    await writeFile(join(folder, 'file'), 'x');
    return {
      args: vault(folder, port, join(folder, 'file/state')),
      says: /The state folder is a file: \S+state \(ENOTDIR\)\n.*--state-dir/,
    };
  },
  'a state folder of another version': async (folder, port) => {
    await mkdir(join(folder, 'state'), { mode: 0o700 });
    await writeFile(join(folder, 'state/state.jsonl'), '{"format":"quire state 99"}\n', { mode: 0o600 });
    return {
      args: vault(folder, port, join(folder, 'state')),
      says: /written by another version of Quire: .*quire state 99.*\n.*the version that wrote it/,
    };
  },
  'a public address without https': async (folder, port) => ({
    args: [...vault(folder, port, 'memory'), '--server-url', 'http://vault.example.com'],
    says: /OAuth needs https: http:\/\/vault\.example\.com\n.*reverse proxy/,
  }),
  'a key that is no PEM': async (folder, port) => ({
    args: ['serve', folder, '--port', String(port), '--auth', 'jwt', '--jwt-public-key', 'nonsense'],
    says: /not a public key in PEM form\n.*BEGIN PUBLIC KEY/,
  }),
  'a host name that is none': async (folder, port) => {
    const file = join(folder, 'quire.yaml');
    await writeFile(
      file,
      `notebooks: { n: { folder: . } }\nserve: { port: ${port}, allowedHosts: ["http://a/b"] }\n`,
    );
    return { args: ['serve', '--config', file], says: /Not a host name: http:\/\/a\/b/ };
  },
  'a proxy that is no address': async (folder, port) => ({
    args: ['serve', folder, '--port', String(port), '--trusted-proxies', 'proxy.example.com'],
    says: /proxy\.example\.com/,
  }),
  'a client that is there twice': async (folder, port) => {
    const file = join(folder, 'quire.yaml');
    const client = '{ id: a, secret: 0123456789abcdef }';
    await writeFile(
      file,
      `notebooks: { n: { folder: . } }\nserve: { port: ${port} }\nstate: { dir: memory }\n` +
        `auth: { mode: oauth, ownerToken: sesame-open, clients: [${client}, ${client}] }\n`,
    );
    return { args: ['serve', '--config', file], says: /An OAuth client is configured twice: a/ };
  },
};

describe('it ends with a code and says why, and no client could connect before', () => {
  test.each(Object.keys(WAYS))('%s', async (name) => {
    const folder = await temporaryFolder({ 'a.md': 'alpha' });
    const port = await freePort();
    const { says, code = 2, ...start } = await WAYS[name]!(folder, port);
    const ended = await startAndKnock(port, start);
    expect(ended.stderr).toMatch(says);
    expect(ended.stderr).toMatch(/^quire: [^\n]+\n(?:[^\n]+\n)?$/);
    expect(ended.stderr).not.toContain('secret-not-a-hash');
    expect(ended).toMatchObject({ code, connections: 0, stdout: '' });
  });

  test('a state folder that cannot be written', async () => {
    const folder = await temporaryFolder({ 'a.md': 'alpha' });
    const above = join(folder, 'above');
    await mkdir(above);
    await chmod(folder, 0o755);
    await chmod(above, 0o555);
    const port = await freePort();
    const args = vault(folder, port, join(above, 'state'));
    // Nothing is forbidden to root.
    const ended = await startAndKnock(port, {
      args,
      ...(process.getuid?.() === 0 && { uid: UNPRIVILEGED_ID }),
    });
    expect(ended.stderr).toMatch(
      /^quire: The state folder cannot be written: \S+state \(EACCES\)\n.*right to write/,
    );
    expect(ended).toMatchObject({ code: 2, connections: 0, stdout: '' });
  });

  test('a port that is taken', async () => {
    const folder = await temporaryFolder({ 'a.md': 'alpha' });
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    const state = join(folder, 'state');
    const ended = await startAndKnock(0, { args: vault(folder, port, state) });
    expect(ended.stderr).toMatch(/^quire: Cannot listen: 127\.0\.0\.1:\d+ \(EADDRINUSE\)\n/);
    expect(ended.code).toBe(2);
    // The state folder it had locked is free again.
    const next = await startHttp(vault(folder, await freePort(), state));
    expect(await next.stop()).toBe(0);
  });
});

test('while it is not ready no client can connect, and the first that can is answered', async () => {
  const folder = await temporaryFolder({ 'a.md': 'alpha' });
  const state = join(folder, 'state');
  await mkdir(state);
  // Of another machine: it is not known whether it still counts until it has had time to renew it.
  const owner = { pid: 1, place: 'elsewhere', mark: '0'.repeat(24) };
  await writeFile(join(state, 'lock'), JSON.stringify(owner));
  const port = await freePort();
  const starting = startHttp(vault(folder, port, state));
  const knocks: boolean[] = [];
  while (knocks.at(-1) !== true) {
    knocks.push(await isTaken(port));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(knocks.length).toBeGreaterThan(10);
  const origin = `http://127.0.0.1:${port}`;
  const statuses = await Promise.all(
    ['/healthz', '/readyz', '/.well-known/oauth-authorization-server', '/mcp'].map(
      async (path) => (await fetch(`${origin}${path}`)).status,
    ),
  );
  expect(statuses).toEqual([200, 200, 200, 401]);
  expect((await starting).origin).toBe(origin);
}, 40_000);

describe('what is said at the start', () => {
  const jwt = ['--auth', 'jwt', '--jwt-secret', 's'.repeat(32)];

  test.each([
    ['issuer and audience', jwt],
    ['audience', [...jwt, '--jwt-issuer', 'https://idp.example.com']],
    ['issuer', [...jwt, '--jwt-audience', 'notes']],
  ])('tokens that are not checked for their %s', async (missing, args) => {
    const folder = await temporaryFolder({ 'a.md': 'alpha' });
    const { errors } = await startHttp(['serve', folder, '--port', '0', ...args]);
    expect(errors()).toMatch(
      new RegExp(
        `^quire: warning: tokens are not checked for their ${missing}: .*--jwt-issuer and --jwt-audience`,
        'm',
      ),
    );
  });

  test('no word when both are given', async () => {
    const folder = await temporaryFolder({ 'a.md': 'alpha' });
    const args = [...jwt, '--jwt-issuer', 'me', '--jwt-audience', 'notes'];
    const { errors } = await startHttp(['serve', folder, '--port', '0', ...args]);
    expect(errors()).not.toContain('warning');
  });

  test.each([
    ['vault', { LOG_LEVEL: 'silent' }],
    ['serve', { QUIRE_LOG: 'silent' }],
    ['trilium', { LOG_LEVEL: 'silent' }],
    ['trilium', { LOG_LEVEL: 'off' }],
  ])('nothing at all by %s with %j', async (command, env) => {
    const folder = await temporaryFolder({ 'a.md': 'alpha' });
    const port = await freePort();
    const args = {
      vault: vault(folder, port, 'memory'),
      serve: ['serve', folder, '--port', String(port), ...jwt],
      trilium: [
        'trilium',
        '--transport',
        'http',
        '--multi-tenant',
        '-p',
        String(port),
        '--gateway-token',
        'short',
      ],
    }[command]!;
    const child = spawn(process.execPath, [BINARY, ...args], {
      env: { ...CLEAN_ENVIRONMENT, HOME: folder, ...env },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
      });
    while (!(await isTaken(port))) await new Promise((resolve) => setTimeout(resolve, 20));
    await fetch(`http://127.0.0.1:${port}/nowhere`);
    await fetch(`http://127.0.0.1:${port}/mcp`);
    child.kill('SIGTERM');
    expect((await once(child, 'close'))[0]).toBe(0);
    expect(said).toBe('');
  });
});

describe('the public address', () => {
  const AUTH = {
    oauth: { mode: 'oauth', users: { me: HASH } },
    bearer: { mode: 'bearer', tokens: ['a-token-that-is-long-enough'] },
    jwt: { mode: 'jwt', jwtSecret: 'x'.repeat(32) },
    none: { mode: 'none' },
  } as const;
  type Way = 'flag' | 'variable' | 'file';

  /** The vault at a place to listen on, said in one of three ways. */
  async function startOf(place: string, mode: keyof typeof AUTH, way: Way): Promise<Start> {
    const folder = await temporaryFolder({ 'vault/a.md': 'a' });
    const colon = place.lastIndexOf(':');
    const host = place.slice(0, colon).replace(/^\[|\]$/g, '');
    const config = {
      auth: AUTH[mode],
      state: { dir: 'memory' },
      ...(way === 'file' && {
        serve: { ...(host !== '' && { host }), port: Number(place.slice(colon + 1)) },
      }),
    };
    const file = join(folder, 'quire.yaml');
    await writeFile(file, JSON.stringify(config));
    const args = ['vault', '--config', file, '--vault-path', join(folder, 'vault')];
    return {
      args: way === 'flag' ? [...args, '--listen-addr', place] : args,
      env: way === 'variable' ? { LISTEN_ADDR: place } : {},
    };
  }

  test.each<[string, keyof typeof AUTH, Way]>([
    [':0', 'oauth', 'variable'],
    ['0.0.0.0:0', 'oauth', 'flag'],
    ['[::]:0', 'oauth', 'file'],
    ['notes.example:0', 'oauth', 'flag'],
    [':0', 'bearer', 'file'],
    ['0.0.0.0:0', 'bearer', 'variable'],
    ['[::]:0', 'jwt', 'flag'],
    ['notes.example:0', 'jwt', 'variable'],
  ])('is needed at %s, %s, by %s', async (place, mode, way) => {
    const { code, stdout, stderr } = await startAndKnock(await freePort(), await startOf(place, mode, way));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n', 1)).toEqual([
      'quire: The address clients reach this server at is not known: give --server-url or SERVER_URL with the https address',
    ]);
  });

  test('is not what matters without authentication', async () => {
    const { code, stderr } = await startAndKnock(
      await freePort(),
      await startOf('0.0.0.0:0', 'none', 'variable'),
    );
    expect(code).toBe(2);
    expect(stderr).toContain('without authentication: 0.0.0.0');
  });

  test.each<[string, keyof typeof AUTH, Way]>([
    ['127.0.0.1:0', 'oauth', 'variable'],
    ['localhost:0', 'bearer', 'flag'],
    ['127.0.0.1:0', 'jwt', 'file'],
    ['127.0.0.1:0', 'none', 'variable'],
  ])('is not needed at %s, %s, by %s', async (place, mode, way) => {
    const { args, env } = await startOf(place, mode, way);
    const { origin } = await startHttp(args, env);
    expect((await fetch(new URL('/healthz', origin))).status).toBe(200);
  });

  test('is not needed by quire serve with tokens made by hand', async () => {
    const folder = await temporaryFolder({ 'a.md': 'a' });
    const token = 'a-token-that-is-long-enough';
    const serve = ['serve', folder, '--host', '0.0.0.0', '--port', '0', '--auth'];
    const { origin } = await startHttp([...serve, 'bearer', '--auth-tokens', token]);
    expect((await fetch(new URL('/mcp', origin), { method: 'POST' })).status).toBe(401);
    await expect(startHttp([...serve, 'oauth', '--auth-users', `me:${HASH}`])).rejects.toThrow(
      'is not known: give --public-url or QUIRE_PUBLIC_URL with the https address',
    );
  });
});
