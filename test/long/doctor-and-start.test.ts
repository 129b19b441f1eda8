/**
 * What keeps a server from starting: each start ends within a bound, with a code and one line that says what to do, and
 * `quire doctor` says the same before.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort, startHttp } from '../kit/http.ts';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, putFile, temporaryFolder } from '../kit/temp.ts';

const HASH = '$2b$04$nRDCRZSnkoBDhMKmCGgmWuSMd6O1Pk2BlWLyhlV4pNYpxu5wQh6Z6';
const UNPRIVILEGED_ID = 65_534;
const BOUND_MS = 20_000;
const SECRET = 'hidden-secret-0123456789abcdef0123';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Run {
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly home: string;
}

/** A process that does not end within the bound fails the test. */
async function run(args: readonly string[], { env = {}, uid, home }: Run): Promise<Ended> {
  const child: ChildProcess = spawn(process.execPath, [BINARY, ...args], {
    env: {
      ...CLEAN_ENVIRONMENT,
      HOME: home,
      XDG_STATE_HOME: home,
      // Another user cannot write to ours.
      ...(uid !== undefined && { XDG_CACHE_HOME: home }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: home,
    ...(uid !== undefined && { uid }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    err += chunk;
  });
  const [code] = (await once(child, 'close', { signal: AbortSignal.timeout(BOUND_MS) })) as [number | null];
  return { code, out, err };
}

interface Broken {
  /** The configuration file, below the port, if it needs one. */
  readonly yaml?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The command that starts; `serve` unless another is named. */
  readonly as?: string;
  /** Further words of the start and of the doctor. */
  readonly args?: readonly string[];
  readonly says: RegExp;
  readonly code?: number;
  /** As another user than root, who may do everything. */
  readonly unprivileged?: true;
  readonly prepare?: (folder: string) => Promise<void>;
}

const NOTES = 'notebooks: { n: { folder: notes } }\n';
const OAUTH = `auth: { mode: oauth, users: { me: '${HASH}' } }\n`;

const BROKEN: Readonly<Record<string, Broken>> = {
  'a password hash that is none': {
    yaml: `${NOTES}auth: { mode: oauth, users: { me: '${SECRET}' } }\nserve: { port: 0 }\n`,
    says: /not a bcrypt hash: me/,
  },
  'nobody who could log in': {
    yaml: `${NOTES}auth: { mode: oauth }\nserve: { port: 0 }\n`,
    says: /log in: there are no users/,
  },
  'tokens are missing': { yaml: `${NOTES}auth: { mode: bearer }\n`, says: /needs at least one token/ },
  'YAML that is none': { yaml: 'notebooks: [\n', says: /quire\.yaml/ },
  'a key that is not known': {
    yaml: `${NOTES}serve: { prot: 1 }\n`,
    says: /serve\.prot.*port/,
  },
  'a variable that is not set': {
    yaml: `${NOTES}auth: { mode: bearer, tokens: ["\${env:QUIRE_TEST_TOKEN_UNSET}"] }\n`,
    says: /QUIRE_TEST_TOKEN_UNSET/,
  },
  'a variable that is no port': {
    yaml: NOTES,
    env: { QUIRE_PORT: 'eighty' },
    says: /QUIRE_PORT/,
  },
  'a folder that is not there': {
    yaml: 'notebooks: { n: { folder: nowhere } }\nserve: { port: 0 }\n',
    says: /nowhere/,
  },
  'a folder that is a file': {
    yaml: 'notebooks: { n: { folder: notes/a.md } }\nserve: { port: 0 }\n',
    says: /a\.md/,
  },
  'the network without a login': {
    yaml: `${NOTES}serve: { host: 0.0.0.0, port: 0 }\n`,
    says: /without authentication: 0\.0\.0\.0/,
  },
  'a public address that is not known': {
    yaml: `${NOTES}${OAUTH}serve: { host: 0.0.0.0, port: 0 }\n`,
    says: /address clients reach this server at is not known/,
  },
  'a public address without https': {
    yaml: `${NOTES}${OAUTH}serve: { port: 0, publicUrl: "http://notes.example.com" }\n`,
    says: /OAuth needs https/,
  },
  'a public address that is none': {
    yaml: `${NOTES}serve: { port: 0, publicUrl: nonsense }\n`,
    says: /serve\.publicUrl/,
  },
  'a host that this machine has not': {
    yaml: `${NOTES}auth: { mode: bearer, tokens: [${SECRET}] }\nserve: { host: 192.0.2.1, port: 8123 }\n`,
    says: /Cannot listen: 192\.0\.2\.1:8123 \(EADDRNOTAVAIL\)/,
  },
  'a key that is no PEM': {
    yaml: `${NOTES}auth: { mode: jwt, jwtPublicKey: nonsense }\nserve: { port: 0 }\n`,
    says: /not a public key in PEM form/,
  },
  'a proxy that is no address': {
    yaml: `${NOTES}serve: { port: 0, trustedProxies: [proxy.example.com] }\n`,
    says: /proxy\.example\.com/,
  },
  'a host name that is none': {
    yaml: `${NOTES}serve: { port: 0, allowedHosts: ["http://a/b"] }\n`,
    says: /Not a host name/,
  },
  'a client that is there twice': {
    yaml: `${NOTES}state: { dir: memory }\nserve: { port: 0 }\nauth: { mode: oauth, ownerToken: sesame-open, clients: [{ id: a, secret: ${SECRET} }, { id: a, secret: ${SECRET} }] }\n`,
    says: /OAuth client .* twice: a/,
  },
  'two protocol versions': {
    yaml: `${NOTES}serve: { port: 0, strict: true, protocol: 2026-07-28 }\n`,
    says: /serve\.strict/,
  },
  'a second brain that takes in to no notebook': {
    yaml: `${NOTES}serve: { port: 0 }\nbrain: { ingest: elsewhere }\n`,
    says: /elsewhere/,
  },
  'a state folder that is a file': {
    yaml: `${NOTES}${OAUTH}serve: { port: 0 }\nstate: { dir: notes/a.md }\n`,
    says: /The state folder is a file/,
  },
  'a state folder of another version': {
    yaml: `${NOTES}${OAUTH}serve: { port: 0 }\nstate: { dir: state }\n`,
    prepare: async (folder) => {
      await mkdir(join(folder, 'state'), { mode: 0o700 });
      await writeFile(join(folder, 'state/state.jsonl'), '{"format":"quire state 99"}\n', { mode: 0o600 });
    },
    says: /written by another version of Quire/,
  },
  'a state folder that cannot be written': {
    yaml: `${NOTES}${OAUTH}serve: { port: 0 }\nstate: { dir: above/state }\n`,
    prepare: async (folder) => {
      await mkdir(join(folder, 'above'));
      await chmod(join(folder, 'above'), 0o555);
    },
    unprivileged: true,
    says: /The state folder cannot be written.*EACCES/,
  },
  'a folder that cannot be read': {
    yaml: `${NOTES}serve: { port: 0 }\n`,
    prepare: (folder) => chmod(join(folder, 'notes'), 0o000),
    unprivileged: true,
    says: /notes/,
  },
  'a port for root alone': {
    yaml: `${NOTES}serve: { port: 80 }\n`,
    unprivileged: true,
    says: /Cannot listen: 127\.0\.0\.1:80 \(EACCES\)/,
  },
  'the gateway, without a token': {
    yaml: 'gateway: { transport: http, multiTenant: true, port: 0 }\nnotebooks: {}\n',
    as: 'trilium',
    says: /--gateway-auth bearer needs at least one token/,
    code: 1,
  },
  'a vault of the environment with a bad hash': {
    as: 'vault',
    env: { VAULT_PATH: 'notes', AUTH_USERS: `me:${SECRET}`, LISTEN_ADDR: '127.0.0.1:0' },
    says: /not a bcrypt hash: me/,
  },
  'a SilverBullet with half of its environment': {
    as: 'silverbullet',
    env: { SB_URL: 'http://127.0.0.1:9', SB_TOKEN: SECRET },
    says: /Settings are missing: .*MCP_TOKEN/,
  },
};

async function home(): Promise<string> {
  const folder = await temporaryFolder({ 'notes/a.md': 'alpha' });
  await chmod(folder, 0o777);
  return folder;
}

const isRoot = process.getuid?.() === 0;
/** Ports below 1024 are free to all in some containers. */
const canBePrivileged = await (async () => {
  const low = await import('node:fs/promises').then(({ readFile }) =>
    readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8').catch(() => '1024'),
  );
  return Number(low) > 80;
})();

describe('a start that fails, and the doctor before it', () => {
  test.each(Object.keys(BROKEN))('%s', async (name) => {
    const broken = BROKEN[name]!;
    if (name === 'a port for root alone' && !canBePrivileged) {
      expect(canBePrivileged, 'here every user may listen on port 80').toBe(false);
      return;
    }
    const folder = await home();
    if (broken.yaml !== undefined) await putFile(folder, 'quire.yaml', broken.yaml);
    await broken.prepare?.(folder);
    const from = {
      home: folder,
      env: broken.env,
      uid: broken.unprivileged && isRoot ? UNPRIVILEGED_ID : undefined,
    };
    const file = broken.yaml === undefined ? [] : ['--config', join(folder, 'quire.yaml')];
    const start = await run([broken.as ?? 'serve', ...file, ...(broken.args ?? [])], from);
    expect(start.err).toMatch(broken.says);
    expect(start.code).toBe(broken.code ?? 2);
    // An event of the log may come before the line.
    const line = start.err.split('\n').find((text) => text.startsWith('quire: ')) ?? '';
    const hint = start.err.split('\n').at(-2) ?? '';
    expect(line).not.toBe('');
    expect(start.err).not.toMatch(/^\s+at /m);

    const as = broken.as === undefined || broken.as === 'trilium' ? [] : ['--as', broken.as];
    const doctor = await run(['doctor', ...file, ...as, '--json'], from);
    expect(doctor.code).not.toBe(0);
    const found = JSON.parse(doctor.out) as Record<string, { level: string; what: string; next: string }[]>;
    const errors = Object.values(found)
      .flat()
      .filter(({ level }) => level === 'error');
    expect(errors.map(({ what }) => what)).toContain(line.slice('quire: '.length));
    for (const { next } of errors) expect(next).toBeTruthy();
    if (hint !== line) expect(errors.map(({ next }) => next).join('\n')).toContain(hint);
    expect(doctor.out + doctor.err + start.out + start.err).not.toContain(SECRET);
  });
});

describe('a start that does not fail, and the doctor before it', () => {
  test.each([
    ['a folder', ''],
    ['a server', 'serve: { port: 0 }\n'],
    [
      'a login',
      `${OAUTH}serve: { port: 0, publicUrl: "https://notes.example.com", trustedProxies: [loopback] }\n`,
    ],
    ['tokens', `auth: { mode: bearer, tokens: [${SECRET}] }\nserve: { port: 0 }\n`],
    ['a second brain', 'serve: { port: 0 }\nbrain: true\n'],
  ])('%s', async (_, yaml) => {
    const folder = await home();
    await putFile(folder, 'quire.yaml', NOTES + yaml);
    const file = join(folder, 'quire.yaml');
    const doctor = await run(['doctor', '--config', file], { home: folder });
    expect(doctor).toMatchObject({ code: 0, err: '' });
    expect(doctor.out).toContain('It would start.');
    expect(doctor.out).not.toContain(SECRET);
    const running = await startHttp(['serve', '--config', file, '--port', String(await freePort())]);
    expect(await running.stop()).toBe(0);
  });
});

test('a port that another program holds, and one that Quire itself holds', async () => {
  const folder = await home();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as { port: number };
  const config = (at: number) =>
    putFile(
      folder,
      'quire.yaml',
      `${NOTES}${OAUTH}serve: { port: ${at} }\nstate: { dir: ${join(folder, 'state')} }\n`,
    );
  const file = join(folder, 'quire.yaml');
  await config(port);
  const start = await run(['serve', '--config', file], { home: folder });
  expect(start.err).toMatch(/^quire: Cannot listen: 127\.0\.0\.1:\d+ \(EADDRINUSE\)/);
  const doctor = await run(['doctor', '--config', file], { home: folder });
  expect(doctor.code).toBe(1);
  expect(doctor.out).toMatch(
    /error +Cannot listen: 127\.0\.0\.1:\d+ \(EADDRINUSE\)\n +Process \d+ \(node\) listens there/,
  );

  const own = await freePort();
  await config(own);
  const running = await startHttp(['serve', '--config', file]);
  const again = await run(['doctor', '--config', file], { home: folder });
  expect(again.code).toBe(0);
  expect(again.out).toContain(
    `Quire is running at 127.0.0.1:${own} already (process ${running.process.pid})`,
  );
  expect(again.out).toContain(`In use by the server that is running (process ${running.process.pid})`);
  expect(await running.stop()).toBe(0);
});

test.each([
  [
    'a SilverBullet',
    'silverbullet: { url: "http://127.0.0.1:1", token: abcdefgh }',
    /Cannot reach the server/,
  ],
  ['a Trilium', 'trilium: { url: "http://127.0.0.1:1", token: abcdefgh }', /Trilium cannot be reached/],
])('%s that is down: the doctor says so, a server starts and goes on trying', async (_, place, says) => {
  const folder = await home();
  await putFile(folder, 'quire.yaml', `notebooks: { n: { ${place} } }\nserve: { port: 0 }\n`);
  const file = join(folder, 'quire.yaml');
  const doctor = await run(['doctor', '--config', file], { home: folder });
  expect(doctor.code).toBe(1);
  expect(doctor.out).toMatch(says);
  expect(doctor.out).toContain('It would start.');
  const running = await startHttp(['serve', '--config', file]);
  expect(await running.stop()).toBe(0);
});
