/** `quire mcp doctor`: every check, and for every failure a line that a shell can run. */
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { openAudit } from '../../src/governance/audit/audit.ts';
import { nodeVersion } from '../../src/governance/doctor/doctor.ts';
import { fixesFor, quoted } from '../../src/governance/doctor/fixes.ts';
import type { CheckResult } from '../../src/shared/checks.ts';
import { testWith } from '../kit/needs.ts';
import { keyPair, library, type Place, place, type Settings } from './looks-kit.ts';
import { startOddHttp } from './odd-http.ts';
import { bubblewrap } from './sandbox-kit.ts';

interface DoctorReport {
  readonly counts: Readonly<Record<string, number>>;
  readonly checks: readonly CheckResult[];
}

const ALL = [
  'config.parse config.writable config.variables config.rules_live keys.valid roots.exist vault.readable serve.port serve.token embedder.loaded',
  'state.permissions state.audit_chain clock.skew node.version sandbox.backend llm.reachable',
  'safety sandbox manifest consent env.resolved secret.literal command.found package.pinned pins scan',
  'command.writable handshake version list_tools roundtrip',
].flatMap((line) => line.split(' '));

async function examined(at: Place, words: readonly string[] = []) {
  const { code, data } = await at.json<DoctorReport>(['doctor', ...words]);
  const of = (check: string, target?: string) =>
    data.checks.find((one) => one.check === check && (target === undefined || one.target === target));
  return { code, data, of };
}

/** Whether a shell would take it; nothing is run. */
function assertRunnable({ fix, check }: CheckResult): void {
  expect({ check, fix: typeof fix }).toEqual({ check, fix: 'string' });
  execFileSync('/bin/sh', ['-n', '-c', fix ?? '']);
}

describe('quire mcp doctor', () => {
  it('makes every check, starts nothing, and ends with 0 when nothing fails', async () => {
    const at = await place();
    const { code, data, of } = await examined(at);
    expect(data.checks.map(({ check }) => check)).toEqual(ALL);
    expect({ code, failed: data.checks.filter(({ status }) => status === 'fail') }).toEqual({
      code: 0,
      failed: [],
    });
    expect(of('handshake')).toMatchObject({ status: 'skip', detail: 'only with --probe' });
    expect(of('manifest')).toMatchObject({ status: 'warn', fix: 'quire mcp manifest library' });
  });

  it('counts warnings with --strict', async () => {
    expect((await examined(await place(), ['--strict'])).code).toBe(1);
  });

  it('asks the servers with --probe', async () => {
    const at = await place();
    const { of } = await examined(at, ['library', '--probe']);
    expect(of('handshake')).toMatchObject({ status: 'ok', detail: 'library 1.2.3' });
    expect(of('version')?.detail).toBe('2025-11-25');
    expect(of('list_tools')).toMatchObject({ status: 'ok', detail: '2 tools' });
    expect(of('roundtrip')?.detail).toMatch(/^\d+ ms$/);
    expect(of('pins')).toMatchObject({ status: 'ok', detail: '5 definitions, as they were accepted' });
    await at.configure([library({}, ['second-edition'])]);
    const changed = await examined(at, ['--probe']);
    expect(changed.of('pins')).toMatchObject({ status: 'fail', fix: 'quire mcp discover library --full' });
    expect(changed.code).toBe(1);
  });

  it('tells of a server that cannot be started beside one that can', async () => {
    const broken = library({ name: 'broken', args: ['/nonexistent.mjs'] });
    const { code, of } = await examined(await place([broken, library()]), ['--probe']);
    expect(code).toBe(1);
    expect(of('handshake', 'broken')).toMatchObject({ status: 'fail', fix: 'quire mcp discover broken' });
    expect(of('roundtrip', 'broken')).toMatchObject({ status: 'skip', detail: 'handshake failed' });
    expect(of('handshake', 'library')?.status).toBe('ok');
  });

  it('reaches a server over HTTP with --probe, and says when it cannot', async () => {
    const { url } = await startOddHttp();
    const remote = (name: string, address: string) => ({
      name,
      transport: 'streamable_http',
      url: address,
      trust: 'reviewed',
      first_definitions: 'accept',
      client_consent: 'approved',
    });
    const at = await place([remote('near', url), remote('gone', 'http://127.0.0.1:9/mcp')]);
    expect((await examined(at)).of('http.reach/tls')?.status).toBe('skip');
    const { of } = await examined(at, ['--probe']);
    expect(of('http.reach/tls', 'near')).toMatchObject({
      status: 'ok',
      detail: `reached ${new URL(url).host}`,
    });
    expect(of('http.reach/tls', 'gone')).toMatchObject({ status: 'fail', fix: 'quire mcp discover gone' });
    expect(of('handshake', 'gone')).toMatchObject({ status: 'skip', detail: 'http.reach/tls failed' });
  });

  testWith(bubblewrap, 'probes in a real sandbox', async () => {
    const at = await place([library()], { mcp_sandbox: { backend: 'bwrap', policy: 'enforce' } });
    const { of } = await examined(at, ['--probe']);
    expect(of('sandbox.backend')?.detail).toMatch(/^bubblewrap works/);
    expect(of('list_tools')).toMatchObject({ status: 'ok', detail: '2 tools' });
  });

  const wrong: readonly (readonly [
    check: string,
    status: string,
    settings: Settings,
    plane?: Settings,
    rest?: Settings,
  ])[] = [
    ['safety', 'fail', { env: { NODE_OPTIONS: '-r x' } }],
    ['safety', 'fail', { trust: 'blocked' }],
    ['manifest', 'fail', { manifest_digest: 'sha256:short' }],
    ['consent', 'fail', { client_consent: 'pending' }],
    ['env.resolved', 'fail', { env: { A: `\${env:NOT_SET_HERE}` } }],
    ['secret.literal', 'warn', { env: { API_KEY: 'abc' } }],
    ['command.found', 'fail', { command: 'no-such-program', stdio_allowed_commands: ['no-such-program'] }],
    ['package.pinned', 'warn', { command: 'npx', args: ['-y', 'a-server@latest'] }],
    ['config.parse', 'fail', {}, { mcp_manifest_keys: { alex: 'no key' } }],
    ['config.variables', 'warn', {}, {}, { serve: { token: `\${env:NOT_SET_HERE}` } }],
    ['sandbox.backend', 'warn', {}],
    ['roots.exist', 'fail', {}, {}, { allowed_file_roots: ['./none'] }],
    ['vault.readable', 'fail', {}, {}, { notebooks: { personal: { folder: './none' } } }],
    ['serve.token', 'fail', {}, {}, { serve: { host: '0.0.0.0' } }],
    [
      'config.rules_live',
      'warn',
      {},
      {
        mcp_policy: [
          { effect: 'deny', servers: ['*'] },
          { effect: 'ask', servers: ['library'] },
        ],
      },
    ],
  ];
  test.each(
    wrong.map(([check, status, settings, plane, rest]) => ({ check, status, settings, plane, rest })),
  )('$check: $status, with a line that mends it', async ({ check, status, settings, plane, rest }) => {
    const { code, data, of } = await examined(await place([library(settings)], plane, rest));
    expect(of(check)?.status).toBe(status);
    expect(code).toBe(data.counts.fail === 0 ? 0 : 1);
    for (const one of data.checks.filter((found) => found.status === 'fail' || found.status === 'warn'))
      assertRunnable(one);
  });

  test.each([
    ['npx', ['-y', '@a/server@1.2.3'], 'ok'],
    ['npx', ['-y', '@a/server'], 'warn'],
    ['uvx', ['server==1.0'], 'ok'],
    ['uvx', ['server'], 'warn'],
  ])('%s %j: the package is %s', async (command, args, status) => {
    const { of } = await examined(await place([library({ command, args })]));
    expect(of('package.pinned')?.status).toBe(status);
  });

  it('never shows a secret', async () => {
    const at = await place([library({ env: { API_KEY: 'sk-live-0123456789abcdefghij' } })]);
    const { stdout, stderr } = await at.run(['doctor']);
    expect(stdout + stderr).not.toContain('0123456789');
  });

  it('checks who may read the saved state, and whether it was changed', async () => {
    const at = await place();
    const plane = await at.plane();
    const state = join(at.folder, '.quire/plane');
    for (const call of ['a', 'b'])
      await plane.audit.record({ event: 'started', call, server: 's', capability: 'c', kind: 'tool' });
    await chmod(state, 0o755);
    const log = join(state, 'audit.jsonl');
    await writeFile(log, (await readFile(log, 'utf8')).replace('"a"', '"x"'));
    const before = await examined(at);
    expect(before.of('state.permissions')).toMatchObject({ status: 'fail', fix: `chmod -R go= ${state}` });
    expect(before.of('state.audit_chain')?.detail).toMatch(/the log was changed/);
    expect(before.of('state.audit_chain')?.fix).toMatch(/^quire mcp audit acknowledge --reason /);
    execFileSync('/bin/sh', ['-c', before.of('state.permissions')?.fix ?? 'false']);
    await plane.audit.acknowledge('a test', { by: 'cli:me', via: 'terminal' });
    const after = await examined(at);
    expect([after.of('state.permissions')?.status, after.of('state.audit_chain')?.status]).toEqual([
      'ok',
      'ok',
    ]);
  });

  it('checks who else may change the configuration or a command, also from above', async () => {
    const at = await place([
      library({ command: './bin/sub/node', stdio_allowed_commands: ['./bin/sub/node'] }),
    ]);
    await mkdir(join(at.folder, 'bin/sub'), { recursive: true });
    await copyFile(process.execPath, join(at.folder, 'bin/sub/node'));
    await chmod(join(at.folder, 'bin/sub/node'), 0o755);
    const before = await examined(at);
    expect([before.of('config.writable')?.status, before.of('command.writable')?.status]).toEqual([
      'ok',
      'ok',
    ]);
    await chmod(join(at.folder, 'bin'), 0o777);
    await chmod(join(at.folder, 'quire.yaml'), 0o666);
    const open = await examined(at);
    expect(open.of('config.writable')).toMatchObject({
      status: 'fail',
      fix: `chmod o-w ${at.folder}/quire.yaml`,
    });
    expect(open.of('command.writable')).toMatchObject({ status: 'fail', fix: `chmod o-w ${at.folder}/bin` });
    // As /tmp is: a file there belongs to the user who put it there.
    await chmod(join(at.folder, 'bin'), 0o1777);
    expect((await examined(at)).of('command.writable')?.status).toBe('ok');
  });

  it.each([
    ['ahead of this clock', [600_000], 'ahead of this clock'],
    ['that went back', [-100, -600_000, -50], 'went back by 600 s'],
    ['in order', [-600_000, -300_000, -50], 'in order'],
  ])('sees a log %s', async (_, times, detail) => {
    const at = await place();
    const begun = Date.now();
    let now = 0;
    const audit = openAudit({ folder: join(at.folder, '.quire/plane'), now: () => begun + now });
    for (const time of times) {
      now = time;
      await audit.record({ event: 'started', call: 'a', server: 's', capability: 'c', kind: 'tool' });
    }
    expect((await examined(at)).of('clock.skew')?.detail).toContain(detail);
  });

  it('sees a disk whose clock is behind', async () => {
    const at = await place();
    const folder = join(at.folder, '.quire/plane');
    const call = { event: 'started', call: 'a', server: 's', capability: 'c', kind: 'tool' } as const;
    await openAudit({ folder }).record(call);
    await utimes(join(folder, 'audit.jsonl'), new Date(), new Date(Date.now() - 600_000));
    expect((await examined(at)).of('clock.skew')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('the clock of the disk'),
    });
  });

  it('sees that the port is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { of } = await examined(await place([], {}, { serve: { port } }));
    expect(of('serve.port')).toMatchObject({ status: 'warn', detail: expect.stringContaining('EADDRINUSE') });
    expect(of('serve.token')?.status).toBe('ok');
  });

  it('asks the model only with --probe', async () => {
    const llm = { llm: { base_url: 'http://127.0.0.1:9/v1' } };
    const at = await place([], {}, llm);
    expect((await examined(at)).of('llm.reachable')?.status).toBe('skip');
    expect((await examined(at, ['--probe'])).of('llm.reachable')?.status).toBe('fail');
  });

  it('asks an embedding server only with --probe, and says that none is needed', async () => {
    expect((await examined(await place([]))).of('embedder.loaded')).toMatchObject({
      status: 'skip',
      detail: 'no embedding server is configured, and none is needed',
    });
    const embeddings = { base_url: 'http://127.0.0.1:9/v1', model: 'wise' };
    const at = await place([], {}, { brain: { embeddings } });
    expect((await examined(at)).of('embedder.loaded')).toMatchObject({
      status: 'skip',
      detail: 'only with --probe',
    });
    const { of } = await examined(at, ['--probe']);
    expect(of('embedder.loaded', 'brain.embeddings')).toMatchObject({
      status: 'fail',
      fix: expect.stringContaining('correct brain.embeddings.base_url'),
    });
    assertRunnable(of('embedder.loaded')!);
  });

  it('says what is wrong with a configuration that cannot be used', async () => {
    const { code, data } = await examined(await place([library({ trustt: 'x' })]));
    expect(code).toBe(1);
    expect(data.checks).toMatchObject([
      { check: 'config.parse', status: 'fail', detail: expect.stringContaining('trustt') },
    ]);
    data.checks.forEach(assertRunnable);
  });

  it('leaves a server that is switched off alone, unless it is named', async () => {
    const at = await place([library({ enabled: false, client_consent: 'pending' })]);
    expect((await examined(at)).code).toBe(0);
    expect((await examined(at, ['library'])).of('consent')?.status).toBe('fail');
  });

  it('prints the table, and below it each line to run', async () => {
    const { stdout } = await (await place([library({ client_consent: 'pending' })])).run(['doctor']);
    expect(stdout).toMatch(/^Check +Target +Status +Detail +Fix\n/);
    expect(stdout).toMatch(/\nfail consent library: quire mcp consent give library\n/);
  });
});

describe('the lines that mend', () => {
  it('open the file where the server is, whatever the path holds', () => {
    const fixes = fixesFor({
      program: 'sb',
      configPath: "/it's/a b.yaml",
      configText: 'a: 1\nmcp_servers:\n  - name: "mail"\n',
      namesConfig: true,
    });
    expect(fixes.edit('do\nit', 'name: mail')).toBe(`"\${EDITOR:-vi}" +3 '/it'\\''s/a b.yaml' # do it`);
    expect(fixes.mcp('discover mail')).toBe(`sb mcp discover mail --config '/it'\\''s/a b.yaml'`);
    expect(quoted('/plain/path')).toBe('/plain/path');
  });

  test.each([
    ['20.19.0', 'ok'],
    ['22.0.0', 'ok'],
    ['20.18.9', 'fail'],
    ['18.20.0', 'fail'],
  ])('node %s: %s', (version, status) => {
    expect(nodeVersion(version).status).toBe(status);
  });
});

describe('quire mcp manifest', () => {
  it('prints what is signed, and lines that make the server verified', async () => {
    const at = await place();
    const { privatePem, publicText } = keyPair();
    await writeFile(join(at.folder, 'review.pem'), privatePem);
    const plain = await at.run(['manifest', 'library']);
    expect(plain.stdout).toMatch(/^\{"args":\[.*"version":2\}\nmanifest_digest: sha256:[0-9a-f]{64}\n$/);
    const signed = await at.run(['manifest', 'library', '--sign', 'review.pem', '--key-id', 'alex']);
    const [, digest, signature] =
      /manifest_digest: (\S+)\nmanifest_signature: "(\S+)"\n$/.exec(signed.stdout) ?? [];
    expect(signed.stderr).toContain('mcp_manifest_keys has no key alex');
    await at.configure([library({ manifest_digest: digest, manifest_signature: signature })], {
      mcp_manifest_keys: { alex: publicText },
    });
    expect((await examined(at)).of('manifest')).toMatchObject({
      status: 'ok',
      detail: 'signed by a known key',
    });
  });

  test.each([
    ['half of the flags', ['library', '--sign', 'review.pem'], 2, /go together/],
    ['a key that is not there', ['library', '--sign', 'no.pem', '--key-id', 'a'], 2, /not there/],
    ['what is no key', ['library', '--sign', 'quire.yaml', '--key-id', 'a'], 2, /Ed25519/],
    ['a server over HTTP', ['remote'], 2, /doctor remote/],
    ['a server that is not there', ['librari'], 4, /library/],
  ])('refuses %s', async (_, words, exit, says) => {
    const remote = { name: 'remote', transport: 'streamable_http', url: 'https://example.com/mcp' };
    const { code, stderr } = await (await place([library(), remote])).run(['manifest', ...words]);
    expect({ code, stderr }).toMatchObject({ code: exit, stderr: expect.stringMatching(says) });
  });
});
