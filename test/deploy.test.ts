/** The files for running Quire somewhere: that they agree with each other, with the program and with what runs them. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import picomatch from 'picomatch';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { createProgram } from '../src/cli/program.ts';
import { freePort, startHttp } from './kit/http.ts';
import { programNeed, testWith } from './kit/needs.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from './kit/temp.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const read = (name: string) => readFile(join(ROOT, 'deploy', name), 'utf8');

/** The flags and variables that `quire vault --help` lists. */
const vaultHelp = createProgram(['vault'])
  .commands.find((command) => command.name() === 'vault')
  ?.helpInformation();

const PACKAGES: Readonly<Record<string, string>> = {
  nginx: 'nginx-light',
  'systemd-analyze': 'systemd',
};

/** Runs where the program is installed. */
function withProgram(program: string, name: string, body: () => Promise<void>): void {
  testWith(programNeed(program, PACKAGES[program] ?? program, '-h'), name, body);
}

/** `KEY=value` lines, a key possibly several times. */
function settingsIn(unit: string): Map<string, string[]> {
  const settings = new Map<string, string[]>();
  for (const line of unit.split('\n')) {
    const [, key, value] = /^([A-Z][A-Za-z]+)=(.*)$/.exec(line) ?? [];
    if (key !== undefined) settings.set(key, [...(settings.get(key) ?? []), value ?? '']);
  }
  return settings;
}

const environmentOf = {
  async compose() {
    const { services } = parse(await read('compose.yaml')) as Compose;
    return services.quire.environment;
  },
  async fly() {
    const table = /^\[env\]\n((?: {2}.*\n)+)/m.exec(await read('fly.toml'))?.[1] ?? '';
    return Object.fromEntries(
      [...table.matchAll(/^ {2}(\w+) = "(.*)"$/gm)].map((match) => [match[1], match[2]]),
    );
  },
  async docker() {
    const [, block = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(await read('Dockerfile')) ?? [];
    return Object.fromEntries([...block.matchAll(/(\w+)=(\S+)/g)].map((match) => [match[1], match[2]]));
  },
  async systemd() {
    const lines = settingsIn(await read('quire.service')).get('Environment') ?? [];
    return Object.fromEntries(lines.map((line) => line.split('=', 2)));
  },
};

interface Compose {
  services: Record<
    'quire' | 'caddy',
    {
      environment: Record<string, string>;
      expose?: string[];
      ports?: string[];
      volumes: string[];
      build?: { context: string; dockerfile: string };
      read_only: boolean;
      cap_drop: string[];
      security_opt: string[];
    }
  >;
  volumes: Record<string, unknown>;
}

describe('every place', () => {
  /** Node's and the XDG folders' own, and the governed plane's, which has no flag for it. */
  const FOREIGN = ['NODE_ENV', 'XDG_CACHE_HOME', 'QUIRE_AUDIT_KEY_FILE'];

  test.each(Object.entries(environmentOf))('%s sets only what the program reads', async (_, environment) => {
    const names = Object.keys(await environment()).filter((name) => !FOREIGN.includes(name));
    expect(names.length).toBeGreaterThan(2);
    const known = [...(vaultHelp ?? '').replaceAll(/\s+/g, ' ').matchAll(/\((?:env:|also) (\w+)\)/g)].map(
      (match) => match[1],
    );
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('listens on the same port', async () => {
    const [compose, fly, docker] = await Promise.all([
      environmentOf.compose(),
      environmentOf.fly(),
      environmentOf.docker(),
    ]);
    const [caddy, nginx, unit, dockerfile, flyFile] = await Promise.all(
      ['Caddyfile', 'nginx.conf', 'quire.service', 'Dockerfile', 'fly.toml'].map(read),
    );
    const { services } = parse(await read('compose.yaml')) as Compose;
    const ports = [
      ...[compose, fly, docker].map((environment) => environment.LISTEN_ADDR?.slice(1)),
      services.quire.expose?.[0],
      services.caddy.environment.QUIRE_UPSTREAM?.split(':')[1],
      /^EXPOSE (\d+)$/m.exec(dockerfile ?? '')?.[1],
      /127\.0\.0\.1:(\d+)\/healthz/.exec(dockerfile ?? '')?.[1],
      /QUIRE_UPSTREAM:127\.0\.0\.1:(\d+)/.exec(caddy ?? '')?.[1],
      /server 127\.0\.0\.1:(\d+);/.exec(nginx ?? '')?.[1],
      /--listen-addr 127\.0\.0\.1:(\d+)/.exec(unit ?? '')?.[1],
      /internal_port = (\d+)/.exec(flyFile ?? '')?.[1],
    ];
    expect(ports).toEqual(Array(ports.length).fill('8090'));
  });

  test('holds no password hash and no token', async () => {
    for (const name of await readdir(join(ROOT, 'deploy')))
      expect(await read(name), name).not.toMatch(/\$2[aby]\$\d\d\$[./A-Za-z0-9]{20}|[0-9a-f]{40}/);
  });

  test('is explained in the README', async () => {
    const readme = await read('README.md');
    const names = (await readdir(join(ROOT, 'deploy'))).filter((name) => name !== 'README.md');
    expect(names.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('the image', () => {
  const instructions = async () => (await read('Dockerfile')).replaceAll('\\\n', ' ').split('\n');

  test('is made of files that are there, none of which is ignored', async () => {
    const copies = (await instructions()).filter(
      (line) => line.startsWith('COPY ') && !line.includes('--from'),
    );
    const sources = copies.flatMap((line) => line.split(/\s+/).slice(1, -1));
    expect(sources).toEqual(
      expect.arrayContaining(['package.json', 'package-lock.json', '.npmrc', 'src', 'scripts']),
    );
    const names = await readdir(ROOT);
    expect(sources.filter((name) => !names.includes(name))).toEqual([]);
    const kept = (await read('Dockerfile.dockerignore')).split('\n').filter((line) => line.startsWith('!'));
    expect(kept.map((line) => line.slice(1)).sort()).toEqual([...sources].sort());
  });

  test('holds what the build makes, and that is enough to run', async () => {
    const copied = (await instructions()).find((line) => line.startsWith('COPY --from=build')) ?? '';
    const pattern = /\/src\/(\S+)/.exec(copied)?.[1] ?? '';
    const made = (await readdir(join(ROOT, 'dist'))).filter((name) => picomatch(pattern)(`dist/${name}`));
    expect(made).toContain('quire.cjs');
    const folder = await temporaryFolder();
    for (const name of made) await copyFile(join(ROOT, 'dist', name), join(folder, name));
    const env = { ...CLEAN_ENVIRONMENT };
    const { stdout } = await run(process.execPath, ['quire.cjs', '--version'], { cwd: folder, env });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
    const hashing = spawn(process.execPath, ['quire.cjs', 'hash-password'], { cwd: folder, env });
    hashing.stdin.end('correct horse\n');
    const [hash] = (await once(hashing.stdout, 'data')) as [Buffer];
    expect(String(hash)).toMatch(/^\$2b\$/);
  });

  test('runs as an unprivileged user, reports its health, and contains nothing but the program', async () => {
    const lines = await instructions();
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
    expect(last).toContain('USER node');
    expect(last.some((line) => line.startsWith('HEALTHCHECK ') && line.includes('/healthz'))).toBe(true);
    expect(last.filter((line) => /^(?:ADD|COPY) /.test(line))).toHaveLength(1);
    expect(last.some((line) => /npm|apt/.test(line) && line.startsWith('RUN'))).toBe(false);
    expect(last).toContain('ENTRYPOINT ["node", "/app/quire.cjs"]');
    expect(last).toContain('CMD ["vault"]');
  });
});

describe('compose', () => {
  test('parses, publishes Caddy alone, and takes rights away', async () => {
    const { services, volumes } = parse(await read('compose.yaml')) as Compose;
    expect(Object.keys(services)).toEqual(['quire', 'caddy']);
    expect(services.quire.ports).toBeUndefined();
    expect(services.caddy.ports).toEqual(expect.arrayContaining(['80:80', '443:443']));
    expect(services.quire.build).toEqual({ context: '..', dockerfile: 'deploy/Dockerfile' });
    for (const service of Object.values(services))
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    const named = Object.values(services)
      .flatMap((service) => service.volumes.map((volume) => volume.split(':')[0] ?? ''))
      .filter((name) => /^\w+$/.test(name));
    expect(named.sort()).toEqual(Object.keys(volumes).sort());
  });

  withProgram('docker-compose', 'is understood by docker-compose, and needs its three settings', async () => {
    const env = { ...CLEAN_ENVIRONMENT, QUIRE_DOMAIN: 'vault.example.com', QUIRE_VAULT: '/srv/vault' };
    const config = ['-f', join(ROOT, 'deploy/compose.yaml'), 'config'];
    const { stdout } = await run('docker-compose', config, { env: { ...env, AUTH_USERS: 'me:$2b$12$x' } });
    const { services } = parse(stdout) as Compose;
    expect(services.quire.environment.SERVER_URL).toBe('https://vault.example.com');
    await expect(run('docker-compose', config, { env })).rejects.toThrow('AUTH_USERS');
  });
});

describe('the gateway to Triliums', () => {
  const compose = async () =>
    parse(await read('docker-compose.multi-tenant.yml')) as {
      services: {
        quire: Compose['services']['quire'] & { command: string[]; healthcheck: { test: string[] } };
      };
    };
  /** As compose fills them in: what is said, or what stands after `:-`. */
  const filled = (environment: Record<string, string>, said: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(environment).map(([name, text]) => [
        name,
        text.replace(/\$\{(\w+)(?::[-?]([^}]*))?\}/g, (_, key: string, usual = '') => said[key] ?? usual),
      ]),
    );

  test('is for this machine alone, and takes rights away', async () => {
    const { quire } = (await compose()).services;
    expect(quire.ports).toEqual(['127.0.0.1:3000:3000']);
    expect(quire.command).toEqual(['trilium']);
    expect(quire.build).toEqual({ context: '..', dockerfile: 'deploy/Dockerfile' });
    expect(quire).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(quire.environment.TRILIUM_GATEWAY_TOKENS).toMatch(/^\$\{MCP_GATEWAY_TOKEN:\?/);
    expect(quire.healthcheck.test.join(' ')).toContain('127.0.0.1:3000/health');
  });

  test('starts with its settings, and answers', async () => {
    const { quire } = (await compose()).services;
    const env = {
      ...filled(quire.environment, { MCP_GATEWAY_TOKEN: 'a-token-of-the-test' }),
      TRILIUM_HTTP_PORT: '0',
      TRILIUM_HOST: '127.0.0.1',
    };
    const { origin, log } = await startHttp(quire.command, env);
    expect((await fetch(`${origin}/health`)).status).toBe(200);
    expect((await fetch(`${origin}/sse`)).status).toBe(401);
    const opened = await fetch(`${origin}/sse`, { headers: { Authorization: 'Bearer a-token-of-the-test' } });
    expect(await opened.json()).toMatchObject({ error: 'missing_trilium_credentials' });
    expect(JSON.stringify(log()[0])).toContain('"mode":"multi-tenant"');
  });

  withProgram('docker-compose', 'is understood by docker-compose, and needs its token', async () => {
    const config = ['-f', join(ROOT, 'deploy/docker-compose.multi-tenant.yml'), 'config'];
    const env = { ...CLEAN_ENVIRONMENT };
    await run('docker-compose', config, { env: { ...env, MCP_GATEWAY_TOKEN: 'x' } });
    await expect(run('docker-compose', config, { env })).rejects.toThrow('MCP_GATEWAY_TOKEN');
  });
});

describe('the systemd unit', () => {
  test('starts the program with flags it knows, and no secret among them', async () => {
    const [start = ''] = settingsIn(await read('quire.service')).get('ExecStart') ?? [];
    expect(start).toMatch(/^\/usr\/bin\/node \/opt\/quire\/quire\.cjs vault /);
    const flags = start.match(/--[\w-]+/g) ?? [];
    expect(flags).toEqual(['--vault-path', '--listen-addr', '--server-url']);
    expect(flags.filter((flag) => !vaultHelp?.includes(`${flag} <`))).toEqual([]);
  });

  test.each([
    ['NoNewPrivileges', 'yes'],
    ['ProtectSystem', 'strict'],
    ['ProtectHome', 'yes'],
    ['PrivateTmp', 'yes'],
    ['PrivateDevices', 'yes'],
    ['ProtectKernelTunables', 'yes'],
    ['ProtectKernelModules', 'yes'],
    ['ProtectControlGroups', 'yes'],
    ['RestrictNamespaces', 'yes'],
    ['RestrictSUIDSGID', 'yes'],
    ['LockPersonality', 'yes'],
    ['CapabilityBoundingSet', ''],
    ['SystemCallArchitectures', 'native'],
  ])('keeps %s=%s', async (key, value) => {
    expect(settingsIn(await read('quire.service')).get(key)).toEqual([value]);
  });

  test('runs as a user of its own, and writes only the vault and its own folders', async () => {
    const settings = settingsIn(await read('quire.service'));
    expect(settings.get('User')).toEqual(['quire']);
    expect(settings.get('ReadWritePaths')).toEqual(['/srv/vault']);
    expect((await environmentOf.systemd()).QUIRE_STATE_DIR).toBe(
      `/var/lib/${settings.get('StateDirectory')?.[0]}`,
    );
    expect(settings.has('MemoryDenyWriteExecute')).toBe(false);
  });

  withProgram(
    'systemd-analyze',
    'is well-formed, and exposed as little as a program with a compiler inside can be',
    async () => {
      const folder = await temporaryFolder();
      const unit = join(folder, 'quire.service');
      await writeFile(unit, (await read('quire.service')).replace('/usr/bin/node', process.execPath));
      const { stderr } = await run('systemd-analyze', ['verify', '--man=no', unit]);
      expect(stderr).not.toContain('quire.service');
      await run('systemd-analyze', ['security', '--offline=yes', '--no-pager', '--threshold=20', unit]);
    },
  );
});

/** Sends one event at once and the next when `finish` is called; records the request headers. */
async function openEventSource() {
  const seen: IncomingHttpHeaders[] = [];
  let finish = () => {};
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: one\n\n');
    finish = () => response.end('data: two\n\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, seen, finish: () => finish() };
}

/** A proxy of a test's own, ended with it. */
async function start(
  program: string,
  args: readonly string[],
  port: number,
  env: Record<string, string> = {},
) {
  const proxy = spawn(program, args, {
    env: { ...CLEAN_ENVIRONMENT, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  proxy.stderr.on('data', (chunk) => {
    said += chunk;
  });
  onTestFinished(async () => {
    if (proxy.exitCode === null && proxy.kill()) await once(proxy, 'exit');
  });
  for (let tries = 0; tries < 200; tries++) {
    if (proxy.exitCode !== null) throw new Error(`${program} did not start: ${said}`);
    const socket = connect(port, '127.0.0.1');
    const isUp = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isUp) return;
    await sleep(50);
  }
  throw new Error(`${program} does not listen: ${said}`);
}

const SPOOFED = { 'x-forwarded-for': '6.6.6.6', forwarded: 'for=6.6.6.6' };

/** Through a proxy: the first event before the second is sent, and the caller's own address whatever it claims. */
async function expectStreaming(
  url: string,
  source: Awaited<ReturnType<typeof openEventSource>>,
  host: string,
) {
  const open = url.startsWith('https:') ? tlsRequest : plainRequest;
  const ask = async (path: string) => {
    const options = { headers: { host, ...SPOOFED }, rejectUnauthorized: false, agent: false as const };
    const [answer] = (await once(open(`${url}${path}`, options).end(), 'response')) as [
      import('node:http').IncomingMessage,
    ];
    return answer;
  };
  const answer = await ask('/mcp');
  const [first] = (await once(answer, 'data')) as [Buffer];
  expect(String(first)).toBe('data: one\n\n');
  source.finish();
  const [second] = (await once(answer, 'data')) as [Buffer];
  expect(String(second)).toBe('data: two\n\n');
  expect(source.seen).toMatchObject([{ host, 'x-forwarded-for': '127.0.0.1' }]);
  expect(source.seen[0]).not.toHaveProperty('forwarded');
  const metrics = await ask('/metrics');
  metrics.resume();
  expect(metrics.statusCode).toBe(404);
  expect(source.seen).toHaveLength(1);
}

describe('the proxies', () => {
  withProgram('nginx', 'nginx takes the file and lets events through as they come', async () => {
    const source = await openEventSource();
    const [plain, secure] = [await freePort(), await freePort()];
    const folder = await temporaryFolder();
    const wish =
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=vault.example.com';
    await run('openssl', [
      ...wish.split(' '),
      '-keyout',
      join(folder, 'privkey.pem'),
      '-out',
      join(folder, 'fullchain.pem'),
    ]);
    const site = (await read('nginx.conf'))
      .replace(/.*\[::\].*\n/g, '')
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443 ', `listen 127.0.0.1:${secure} `)
      .replace('127.0.0.1:8090', `127.0.0.1:${source.port}`)
      .replaceAll('/etc/letsencrypt/live/vault.example.com', folder);
    await writeFile(join(folder, 'site.conf'), site);
    const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const main = `daemon off;\npid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${scratch.join('\n')}\ninclude ${folder}/site.conf;\n}\n`;
    await writeFile(join(folder, 'nginx.conf'), main);
    const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'];
    await run('nginx', ['-t', ...args]);
    await start('nginx', args, secure);
    await expectStreaming(`https://127.0.0.1:${secure}`, source, 'vault.example.com');
  });

  withProgram('caddy', 'Caddy takes the file and lets events through as they come', async () => {
    const source = await openEventSource();
    const port = await freePort();
    const folder = await temporaryFolder({ Caddyfile: `{\n\tadmin off\n}\n${await read('Caddyfile')}` });
    const env = { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, HOME: folder };
    await run('caddy', ['validate', '--adapter', 'caddyfile', '--config', join(ROOT, 'deploy/Caddyfile')], {
      env: { ...CLEAN_ENVIRONMENT, ...env },
    });
    await start('caddy', ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')], port, {
      ...env,
      QUIRE_DOMAIN: `http://localhost:${port}`,
      QUIRE_UPSTREAM: `127.0.0.1:${source.port}`,
    });
    await expectStreaming(`http://127.0.0.1:${port}`, source, `localhost:${port}`);
  });
});
