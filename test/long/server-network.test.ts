/**
 * A server that may reach some hosts: really in its sandbox, with a resolver and a connector that know loopback alone. No
 * other address is ever connected to.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect, createServer, type Server } from 'node:net';
import { getPriority, release } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { Confinement } from '../../src/upstream/sandbox/confinement.ts';
import type { EgressMeans } from '../../src/upstream/sandbox/egress.ts';
import { processCountOf } from '../../src/upstream/sandbox/process-count.ts';
import type { StdioTarget } from '../../src/upstream/target.ts';
import type { Upstream } from '../../src/upstream/upstream.ts';
import { calledByNobody, plainUser } from '../governance/plain-user-kit.ts';
import { planeFolder, shop } from '../governance/plane-kit.ts';
import { bubblewrap, confinementOf, testServer } from '../governance/sandbox-kit.ts';
import { isRunning, processTarget, said, until, upstreamOf } from '../governance/upstream-kit.ts';
import { describeWith, programNeed, testWith } from '../kit/needs.ts';
import { temporaryFolder } from '../kit/temp.ts';

const SCRIPT = testServer('malicious.mjs');
/** Of the range for the public internet; the connector of the test leads it to loopback. */
const PUBLIC = '93.184.215.14';

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as { port: number }).port;
}

const http = (says = 'hello') => listening(createHttp((_, response) => response.end(says)));

/** Names of this test, and no others. */
function means(
  names: Readonly<Record<string, readonly string[]>>,
  port = 0,
): EgressMeans & { readonly connected: string[] } {
  const connected: string[] = [];
  return {
    connected,
    resolve: async (name) => names[name] ?? [],
    connect: ({ host, port: wanted, addresses }) => {
      connected.push(`${host}:${wanted} ${addresses}`);
      return connect(port, '127.0.0.1');
    },
  };
}

interface ServerParts {
  readonly target?: Partial<StdioTarget>;
  readonly confinement?: Partial<Confinement>;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

async function serverWith(
  network: readonly string[],
  egress: EgressMeans = {},
  { target, confinement, env = {}, args = [SCRIPT] }: ServerParts = {},
): Promise<Upstream> {
  const made = await processTarget(args, {
    confinement: { ...confinementOf('bwrap', { read: [dirname(SCRIPT)] }), network, ...confinement },
    egress,
    ...target,
  });
  return upstreamOf({ target: { ...made, plan: { ...made.plan, env } } });
}

const attack = (upstream: Upstream, attacks: Record<string, unknown>) =>
  said(upstream.call('get_attack', attacks)) as Promise<Record<string, Record<string, string>>>;

const denied = (place: string) => expect.stringMatching(new RegExp(`^HTTP/1.1 403 [\\s\\S]*denied ${place}`));

describeWith(bubblewrap, 'a server with a list of hosts', () => {
  it('reaches a listed host by its name, and nothing else', async () => {
    const [port, other] = [await http(), await http('never')];
    const { resolve } = means({ 'allowed.example': ['127.0.0.1'], 'evil.example': ['127.0.0.1'] });
    const upstream = await serverWith([`allowed.example:${port}`, `127.0.0.1:${port}`], { resolve });
    const found = await attack(upstream, {
      get: [
        `http://allowed.example:${port}/`,
        `http://allowed.example:${other}/`,
        `http://evil.example:${port}/`,
        `http://127.0.0.1:${other}/`,
        'http://192.0.2.1/',
        'http://169.254.169.254/latest/meta-data',
      ],
      tunnel: [
        `allowed.example:${port}`,
        `ALLOWED.example.:${port}`,
        `allowed.example:${other}`,
        `evil.example:${port}`,
        `127.0.0.1:${other}`,
        `127.0.0.2:${port}`,
        '[::1]:22',
        '169.254.169.254:80',
        'nonsense',
      ],
      forwarded: [
        `http://allowed.example:${port}/x`,
        `http://evil.example:${port}/`,
        `http://169.254.169.254/`,
      ],
      rights: true,
      namespace: true,
      uid: true,
    });
    expect(found.get).toEqual({
      [`http://allowed.example:${port}/`]: '200 hello',
      [`http://allowed.example:${other}/`]: 'ECONNREFUSED',
      [`http://evil.example:${port}/`]: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
      [`http://127.0.0.1:${other}/`]: 'ECONNREFUSED',
      'http://192.0.2.1/': 'ENETUNREACH',
      'http://169.254.169.254/latest/meta-data': 'ENETUNREACH',
    });
    expect(found.tunnel).toEqual({
      [`allowed.example:${port}`]: expect.stringMatching(/^HTTP\/1.1 200 [\s\S]*hello$/),
      [`ALLOWED.example.:${port}`]: expect.stringMatching(/^HTTP\/1.1 200 [\s\S]*hello$/),
      [`allowed.example:${other}`]: denied('allowed.example'),
      [`evil.example:${port}`]: denied('evil.example'),
      [`127.0.0.1:${other}`]: denied('127.0.0.1'),
      [`127.0.0.2:${port}`]: denied('127.0.0.2'),
      '[::1]:22': denied('\\[::1\\]:22'),
      '169.254.169.254:80': denied('169.254.169.254:80'),
      nonsense: expect.stringMatching(/^HTTP\/1.1 400 /),
    });
    expect(found.forwarded).toEqual({
      [`http://allowed.example:${port}/x`]: expect.stringMatching(/^HTTP\/1.1 200 [\s\S]*hello/),
      [`http://evil.example:${port}/`]: denied('evil.example'),
      'http://169.254.169.254/': denied('169.254.169.254:80'),
    });
    expect(found).toMatchObject({ rights: '0000000000000000', namespace: false, uid: 65534 });
    expect(upstream.egress).toMatchObject({ allowed: 4, refused: 9, failed: 0 });
    expect([...upstream.egress.denied]).toEqual(
      expect.arrayContaining(['evil.example', `evil.example:${port}`, '169.254.169.254:80', '[::1]:22']),
    );
  });

  testWith(
    programNeed('openssl', 'openssl', 'version'),
    'has TLS with the host itself, on its usual port',
    async () => {
      const folder = await temporaryFolder();
      const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
      const wish = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=x';
      const names = ['-addext', 'subjectAltName=DNS:secure.example', '-keyout', key, '-out', cert];
      await promisify(execFile)('openssl', [...wish.split(' '), ...names]);
      const files = { key: await readFile(key), cert: await readFile(cert) };
      const port = await listening(createHttps(files, (_, response) => response.end('sealed')));
      const reach = means({ 'secure.example': [PUBLIC] }, port);
      const upstream = await serverWith(['secure.example'], reach, {
        env: { NODE_EXTRA_CA_CERTS: cert },
        confinement: confinementOf('bwrap', { read: [dirname(SCRIPT), folder] }),
      });
      const { get } = await attack(upstream, { get: ['https://secure.example/'] });
      expect(get).toEqual({ 'https://secure.example/': '200 sealed' });
      expect(reach.connected).toEqual([`secure.example:443 ${PUBLIC}`]);
    },
  );

  it('reaches no address that is not public, unless the list has the address too', async () => {
    const port = await http();
    const reach = means(
      {
        'rebound.example': ['127.0.0.1'],
        'mixed.example': [PUBLIC, '10.0.0.5'],
        'metadata.example': ['169.254.169.254'],
        'nas.example': ['10.0.0.7'],
        'inner.example': ['fd00::1'],
        'a.b.wild.example': [PUBLIC],
      },
      port,
    );
    const upstream = await serverWith(
      [
        'rebound.example',
        'mixed.example',
        'metadata.example',
        'nas.example',
        '10.0.0.7',
        'inner.example',
        'unknown.example',
        '*.wild.example:80',
      ],
      reach,
    );
    const { tunnel, get } = await attack(upstream, {
      tunnel: [
        'rebound.example:443',
        'mixed.example:443',
        'metadata.example:443',
        'inner.example:443',
        'unknown.example:443',
        'nas.example:443',
        '10.0.0.7:443',
        'a.b.wild.example:80',
        'wild.example:80',
      ],
      get: ['http://rebound.example:443/', 'http://nas.example:443/', 'http://a.b.wild.example/'],
    });
    const open = expect.stringMatching(/^HTTP\/1.1 200 [\s\S]*hello$/);
    expect(tunnel).toEqual({
      'rebound.example:443': denied('rebound.example:443: its address is not public'),
      'mixed.example:443': denied('mixed.example:443'),
      'metadata.example:443': denied('metadata.example:443'),
      'inner.example:443': denied('inner.example:443'),
      'unknown.example:443': expect.stringMatching(/^HTTP\/1.1 502 /),
      'nas.example:443': open,
      '10.0.0.7:443': open,
      'a.b.wild.example:80': open,
      'wild.example:80': denied('wild.example:80: it is not in sandbox_network'),
    });
    expect(get).toEqual({
      'http://rebound.example:443/': 'ECONNRESET',
      'http://nas.example:443/': '200 hello',
      // Only exact names have an address inside: the others need a program that asks the proxy.
      'http://a.b.wild.example/': 'ENOTFOUND',
    });
    expect(upstream.status().stderr).toContain(
      'denied a.b.wild.example: a "*" entry of sandbox_network is only for programs that use HTTPS_PROXY',
    );
    expect(new Set(reach.connected)).toEqual(
      new Set(['nas.example:443 10.0.0.7', '10.0.0.7:443 10.0.0.7', `a.b.wild.example:80 ${PUBLIC}`]),
    );
  });

  it('is bounded as any other, and has its names also where it may read /etc', async () => {
    const port = await http();
    const { resolve } = means({ 'allowed.example': [PUBLIC] });
    const upstream = await serverWith(
      ['allowed.example:80'],
      { resolve, connect: () => connect(port, '127.0.0.1') },
      {
        confinement: {
          ...confinementOf('bwrap', { read: [dirname(SCRIPT), '/etc'] }),
          bounds: { memoryMb: 400, cpuS: 60, tmpMb: 4, openFiles: 64 },
        },
      },
    );
    const found = await attack(upstream, {
      get: ['http://allowed.example/'],
      files: 100,
      memory: 1_024,
      fill: ['/tmp/big', 16],
      variables: true,
      read: ['/etc/hosts'],
    });
    expect(found).toMatchObject({
      get: { 'http://allowed.example/': '200 hello' },
      files: 'EMFILE',
      fill: 'ENOSPC after 4',
      read: { '/etc/hosts': '127.0.0.1 localhost\n127.88.1.1 allowed.example\n' },
      variables:
        'ALL_PROXY HOME HTTPS_PROXY HTTP_PROXY LANG NODE_USE_ENV_PROXY NO_PROXY PATH PWD TMPDIR all_proxy http_proxy https_proxy no_proxy',
    });
    expect(found.memory).toBeLessThan(400);
  });

  it('has a bounded number of connections at once, and the others wait for none of them', async () => {
    const sockets: { destroy(): void }[] = [];
    const port = await listening(createServer((socket) => void sockets.push(socket)));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    const upstream = await serverWith([`127.0.0.1:${port}`]);
    const { hold } = await attack(upstream, { hold: [port, 200] });
    expect(hold).toMatchObject({ held: 64, ended: 136 });
    expect(sockets.length).toBe(64);
  });

  it('names what it was denied when it fails, and in its log', async () => {
    const logFile = join(await temporaryFolder(), 'odd.log');
    const code = `const { hostname, port } = new URL(process.env.HTTPS_PROXY);
      require('net').connect(port, hostname).on('data', () => process.exit(7)).write('CONNECT evil.example:443 HTTP/1.1\\r\\n\\r\\n')`;
    const upstream = await serverWith(['allowed.example'], means({}), {
      args: ['-e', code.replaceAll('\\\\', '\\')],
      target: { logFile },
    });
    await expect(upstream.connect()).rejects.toMatchObject({
      hint: expect.stringContaining('exit code 7'),
      details: {
        sandbox: 'The sandbox denied evil.example:443. If it needs that: put it into sandbox_network.',
        stderr: expect.stringContaining(
          'quire: the sandbox denied evil.example:443: it is not in sandbox_network',
        ),
      },
    });
    await until(async () => (await readFile(logFile, 'utf8')).includes('denied evil.example:443'));
  });

  it('shows which host it may not resolve', async () => {
    const upstream = await serverWith(['allowed.example'], means({}), {
      args: [
        '-e',
        `fetch('https://evil.example/').catch((e) => { console.error(e.cause.message); process.exit(1) })`,
      ],
    });
    await expect(upstream.connect()).rejects.toMatchObject({
      details: {
        sandbox: 'The sandbox denied evil.example. If it needs that: put it into sandbox_network.',
      },
    });
  });

  it('ends with its relay, its relay with it, and leaves nothing behind', async () => {
    const root = join(await temporaryFolder(), 'deep'.repeat(12), 'deeper'.repeat(20));
    const upstream = await serverWith(['allowed.example'], means({}), { target: { workRoot: root } });
    await attack(upstream, { uid: true });
    const [relay = 0, all] = [await relayOf(process.pid), await below(process.pid)];
    expect(all.length).toBeGreaterThan(3);
    process.kill(relay, 'SIGKILL');
    await until(async () => (await Promise.all(all.map(isRunning))).every((isUp) => !isUp));
    await attack(upstream, { uid: true });
    const again = await below(process.pid);
    expect(again.length).toBeGreaterThan(3);
    await upstream.close();
    await until(async () => (await Promise.all(again.map(isRunning))).every((isUp) => !isUp));
    expect(await readdir(root)).toEqual([]);
  });

  it('sees and changes as little of the machine as any other', async () => {
    const folder = await temporaryFolder({ 'canary.txt': 'tweet', 'state/approvals.jsonl': '' });
    const upstream = await serverWith(['allowed.example'], means({}), {
      confinement: {
        ...confinementOf('bwrap', { read: [dirname(SCRIPT), folder] }),
        masked: [{ path: join(folder, 'state'), isFolder: true }],
      },
    });
    const at = (path: string) => join(folder, path);
    const found = await attack(upstream, {
      read: ['/etc/shadow', at('canary.txt'), at('state/approvals.jsonl')],
      list: ['/', '/proc/1/root/etc', '/sys'],
      append: [at('canary.txt')],
      create: ['/usr/bin/x', '/x', '/dev/x', '/etc/hosts', 'mine.txt'],
      openForWriting: ['/proc/sys/net/ipv4/ip_forward', '/proc/self/oom_score_adj'],
    });
    expect(found).toMatchObject({
      read: {
        '/etc/shadow': 'ENOENT',
        [at('canary.txt')]: 'tweet',
        [at('state/approvals.jsonl')]: 'ENOENT',
      },
      append: { [at('canary.txt')]: 'EROFS' },
      create: {
        '/usr/bin/x': 'EROFS',
        '/x': 'EROFS',
        '/dev/x': 'EROFS',
        '/etc/hosts': 'EROFS',
        'mine.txt': 'done',
      },
      openForWriting: {
        '/proc/sys/net/ipv4/ip_forward': expect.stringMatching(/^(EROFS|EACCES)$/),
        '/proc/self/oom_score_adj': 'EROFS',
      },
    });
    expect(found.list?.['/proc/1/root/etc']).not.toContain('passwd');
    expect(found.list?.['/sys']).toBe('ENOENT');
  });

  it('runs with it, and call --verbose, the doctor, the listing and the audit log say so', async () => {
    const port = await http();
    const plane = await planeFolder([
      shop({
        name: 'evil',
        args: [SCRIPT],
        results: { on_finding: 'pass' },
        sandbox_network: ['api.example.com', '*.example.org:8443', `127.0.0.1:${port}`],
      }),
    ]);
    const list = ['api.example.com:443', '*.example.org:8443', `127.0.0.1:${port}`];
    const args = JSON.stringify({ get: [`http://127.0.0.1:${port}/x`], tunnel: ['evil.example:443'] });
    const called = await plane.run('call', 'evil', 'get_attack', '--args', args, '--verbose');
    expect(JSON.parse(called.stdout)).toMatchObject({
      get: { [`http://127.0.0.1:${port}/x`]: '200 hello' },
      tunnel: { 'evil.example:443': expect.stringContaining('403 Forbidden') },
    });
    expect(called.stderr).toContain(`evil: network: only ${list.join(', ')}\n`);
    expect((await plane.audit()).filter(({ event }) => event === 'network')).toMatchObject([
      { server: 'evil', list, allowed: 1, refused: 1, failed: 0, denied: ['evil.example:443'] },
    ]);
    expect((await plane.run('logs', 'evil')).stdout).toContain('the sandbox denied evil.example:443');
    const { data } = JSON.parse((await plane.run('servers', '--json')).stdout);
    expect(data.servers[0].confinement.network).toEqual(list);
    expect((await plane.run('servers')).stdout).toContain('restricted (bwrap, 3 hosts)');
    const doctor = JSON.parse((await plane.run('doctor', '--json')).stdout);
    expect(doctor.data.checks.find(({ check }: { check: string }) => check === 'sandbox')).toMatchObject({
      detail: expect.stringContaining(`network: only ${list.join(', ')}`),
    });
  });

  it('takes and gives messages of a megabyte unharmed', async () => {
    const upstream = await serverWith(['allowed.example'], means({}));
    const text = 'x'.repeat(1_000_000 / 2);
    const { get } = await attack(upstream, { get: [`nowhere:${text}`] });
    expect(Object.keys(get ?? {})[0]).toHaveLength(text.length + 8);
  });
});

describeWith(plainUser, 'a plain user', () => {
  it('has servers that reach a list of hosts, by the program as it is installed', async () => {
    const [port, other] = [await http(), await http('never')];
    const evil = shop({
      name: 'evil',
      args: [SCRIPT],
      results: { on_finding: 'pass' },
      sandbox_network: [`localhost:${port}`, `127.0.0.1:${port}`, 'nobody.example'],
      sandbox_limits: { open_files: 64, processes: 60 },
    });
    const plane = await planeFolder([evil], { mcp_sandbox: { backend: 'bwrap', policy: 'enforce' } });
    const { found, stderr } = await calledByNobody(
      plane,
      {
        get: [`http://localhost:${port}/`, `http://127.0.0.1:${port}/`, `http://127.0.0.1:${other}/`],
        tunnel: [`localhost:${port}`, `localhost:${other}`],
        rights: true,
        uid: true,
        namespace: true,
        files: 100,
        processes: 100,
        priority: true,
      },
      ['--verbose'],
    );
    expect(found).toEqual({
      get: {
        [`http://localhost:${port}/`]: '200 hello',
        [`http://127.0.0.1:${port}/`]: '200 hello',
        [`http://127.0.0.1:${other}/`]: 'ECONNREFUSED',
      },
      tunnel: {
        [`localhost:${port}`]: expect.stringMatching(/^HTTP\/1.1 200 [\s\S]*hello$/),
        [`localhost:${other}`]: denied(`localhost:${other}`),
      },
      rights: '0000000000000000',
      uid: 65534,
      namespace: false,
      files: 'EMFILE',
      processes: expect.any(Number),
      priority: Math.min(19, getPriority() + 5),
    });
    expect(found.processes).toBeLessThan(processCountOf(release(), 65534) ? 60 : 101);
    expect(stderr).toContain(`evil: network: only localhost:${port}, 127.0.0.1:${port}, nobody.example:443`);
  });
});

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

async function processes(): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = (pid: string, what: string) => readFile(`/proc/${pid}/${what}`, 'utf8').catch(() => '');
  return Promise.all(
    pids.map(async (pid) => ({
      pid: Number(pid),
      parent: Number(/\) \S (\d+)/.exec(await read(pid, 'stat'))?.[1]),
      command: await read(pid, 'cmdline'),
    })),
  );
}

/** All that a process has started, and what these have. */
async function below(ancestor: number): Promise<number[]> {
  const all = await processes();
  const under = (parent: number): number[] =>
    all.filter((one) => one.parent === parent).flatMap(({ pid }) => [pid, ...under(pid)]);
  return under(ancestor);
}

async function relayOf(ancestor: number): Promise<number | undefined> {
  const own = await below(ancestor);
  const found = (await processes()).find(
    ({ pid, command }) =>
      own.includes(pid) && command.startsWith(process.execPath) && command.includes('QUIRE_RELAY'),
  );
  return found?.pid;
}
