/** What a server really runs in: enforced by default, shown everywhere, and out of reach of Quire's own files. */
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { getPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callCapability } from '../../src/governance/call.ts';
import { exposureFor, posturesOf } from '../../src/governance/posture.ts';
import { metaOf } from '../../src/surfaces/upstream/answer.ts';
import { processCountOf, whyUncounted } from '../../src/upstream/sandbox/process-count.ts';
import { describeWith, testWith } from '../kit/needs.ts';
import { fileText, putFile } from '../kit/temp.ts';
import { openedPlane, type PlaneFolder, planeFolder, shop } from './plane-kit.ts';
import {
  backends,
  bubblewrap,
  confinementOf,
  countsProcesses,
  NO_BACKENDS,
  testServer,
} from './sandbox-kit.ts';
import { processTarget, upstreamOf } from './upstream-kit.ts';

const SCRIPT = testServer('malicious.mjs');
const READ = dirname(SCRIPT);

type Settings = Readonly<Record<string, unknown>>;

const evil = (settings: Settings = {}) =>
  shop({ name: 'evil', args: [SCRIPT], results: { on_finding: 'pass' }, ...settings });
const WARN = { mcp_sandbox: { backend: 'process', policy: 'warn' } };
const ENFORCE = { mcp_sandbox: {} };

async function attack(plane: PlaneFolder, attacks: Settings): Promise<Record<string, unknown>> {
  const args = JSON.stringify(attacks);
  const { code, stdout, stderr } = await plane.run('call', 'evil', 'get_attack', '--args', args);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

interface ServersAnswer {
  readonly data: {
    readonly servers: readonly (Settings & { readonly confinement: Settings | null })[];
  };
}

async function rowOf(plane: PlaneFolder): Promise<ServersAnswer['data']['servers'][number] | undefined> {
  const { stdout } = await plane.run('servers', '--json');
  return (JSON.parse(stdout) as ServersAnswer).data.servers[0];
}

async function listener(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as { port: number }).port;
}

describeWith(bubblewrap, 'a malicious server in the default sandbox', () => {
  it('reads, writes and reaches nothing but its own folder', async () => {
    const plane = await planeFolder([evil()], ENFORCE);
    await putFile(plane.folder, 'canary.txt', 'tweet');
    const canary = join(plane.folder, 'canary.txt');
    const approvals = join(plane.folder, '.quire/plane/approvals.jsonl');
    const found = await attack(plane, {
      read: [canary, '/etc/shadow', join(plane.folder, 'quire.yaml')],
      append: [approvals],
      create: ['/etc/x', '/usr/bin/x', '/x', '/dev/x', 'mine.txt'],
      openForWriting: ['/proc/sys/kernel/core_pattern', '/proc/self/oom_score_adj'],
      reach: await listener(),
      uid: true,
      priority: true,
    });
    expect(found).toEqual({
      read: { [canary]: 'ENOENT', '/etc/shadow': 'ENOENT', [join(plane.folder, 'quire.yaml')]: 'ENOENT' },
      append: { [approvals]: 'ENOENT' },
      create: {
        '/etc/x': 'ENOENT',
        '/usr/bin/x': 'EROFS',
        '/x': 'EROFS',
        '/dev/x': 'EROFS',
        'mine.txt': 'done',
      },
      openForWriting: {
        // Root is told by the mount, another user already by the mode.
        '/proc/sys/kernel/core_pattern': expect.stringMatching(/^(EROFS|EACCES)$/),
        '/proc/self/oom_score_adj': 'EROFS',
      },
      reach: 'ECONNREFUSED',
      uid: 65534,
      priority: Math.min(19, getPriority() + 5),
    });
  });

  it('gets no more memory, temporary space, files and namespaces than its limits', async () => {
    const limits = { memory_mb: 400, tmp_mb: 4, open_files: 100, cpu_s: 60 };
    const plane = await planeFolder([evil({ sandbox_limits: limits })], ENFORCE);
    const found = await attack(plane, {
      memory: 1_024,
      fill: ['/tmp/big', 16],
      files: 200,
      namespace: true,
    });
    expect(found).toEqual({
      memory: expect.any(Number),
      fill: 'ENOSPC after 4',
      files: 'EMFILE',
      namespace: false,
    });
    expect(found.memory).toBeLessThan(400);
    expect(found.memory).toBeGreaterThan(100);
    expect(await attack(plane, { fill: ['/dev/shm/big', 16] })).toEqual({ fill: 'ENOSPC after 4' });
    expect((await rowOf(plane))?.confinement).toMatchObject({
      limits: { memory_mb: 400, tmp_mb: 4, open_files: 100, cpu_s: 60 },
      user_namespaces: false,
    });
  });

  it('given the folder of the configuration to read, sees the notes in it and nothing of ours', async () => {
    const other = shop({ name: 'other', sandbox_cwd: './other' });
    const plane = await planeFolder([evil({ sandbox_read: [READ, '.'] }), other], ENFORCE);
    await putFile(plane.folder, 'notes/a.md', 'A note.');
    await putFile(plane.folder, 'other/token', 'of the other server');
    const at = (path: string) => join(plane.folder, path);
    const found = await attack(plane, {
      read: ['notes/a.md', 'quire.yaml', '.quire/plane/audit.jsonl', 'other/token'].map(at),
      list: ['.quire/plane', 'other'].map(at),
      create: ['.quire/plane/x', 'other/x', 'notes/x'].map(at),
    });
    expect(found).toEqual({
      read: {
        [at('notes/a.md')]: 'A note.',
        [at('quire.yaml')]: 'EACCES',
        [at('.quire/plane/audit.jsonl')]: 'ENOENT',
        [at('other/token')]: 'ENOENT',
      },
      list: { [at('.quire/plane')]: '', [at('other')]: '' },
      create: { [at('.quire/plane/x')]: 'EROFS', [at('other/x')]: 'EROFS', [at('notes/x')]: 'EROFS' },
    });
    const row = await rowOf(plane);
    expect(row?.confinement?.hidden).toEqual(
      expect.arrayContaining([at('quire.yaml'), at('.quire/plane'), at('other')]),
    );
  });

  it('in the folder of the configuration with the profile readonly, sees nothing of ours either', async () => {
    const plane = await planeFolder([evil({ sandbox_cwd: '.', sandbox_profile: 'readonly' })], ENFORCE);
    const found = await attack(plane, {
      read: ['quire.yaml'],
      list: ['.quire/plane'],
      append: ['quire.yaml', '.quire/plane/approvals.jsonl'],
      rename: ['.quire>forged', 'quire.yaml>old.yaml'],
    });
    expect(found).toEqual({
      read: { 'quire.yaml': 'EACCES' },
      list: { '.quire/plane': '' },
      append: { 'quire.yaml': 'EACCES', '.quire/plane/approvals.jsonl': 'EROFS' },
      rename: {
        '.quire>forged': 'EROFS',
        'quire.yaml>old.yaml': expect.stringMatching(/^(EROFS|EBUSY|EXDEV)$/),
      },
    });
  });

  it.each([
    ['sandbox_cwd', '.', 'holds'],
    ['sandbox_cwd', '..', 'holds'],
    ['sandbox_cwd', '/', 'holds'],
    ['sandbox_cwd', '.quire', 'holds the state folder'],
    ['sandbox_cwd', '.quire/plane', 'lies in the state folder'],
    ['sandbox_cwd', 'link', 'with its links followed, lies in the state folder'],
    ['sandbox_cwd', 'other/below', 'lies in the folder of other'],
    ['sandbox_read', '.quire/plane/audit.jsonl', 'lies in the state folder'],
    ['sandbox_read', 'link', 'with its links followed, lies in the state folder'],
    ['sandbox_read', 'other', 'lies in the folder of other'],
    ['sandbox_read', '.quire/servers/other/data', 'lies in the folders of other servers'],
    ['sandbox_write', '.', 'holds'],
    ['sandbox_write', 'other/below', 'lies in the folder of other'],
  ])('is not started with %s: %s, which %s', async (key, path, why) => {
    const given = key === 'sandbox_cwd' ? path : [READ, path];
    const servers = [evil({ [key]: given }), shop({ name: 'other', sandbox_cwd: 'other' })];
    const { plane, folder } = await openedPlane(servers, ENFORCE, { backends: async () => backends });
    await mkdir(join(folder, '.quire/plane'), { recursive: true });
    await symlink(join(folder, '.quire/plane'), join(folder, 'link'));
    const { rejections, confinement } = await plane.verdict(plane.server('evil'));
    expect(rejections).toEqual([{ code: 'sandbox_path', reason: expect.stringContaining(why) }]);
    expect(confinement).toBeUndefined();
  });

  it('cannot forge an approval from the folder of the configuration: it does not run there', async () => {
    const plane = await planeFolder([evil({ sandbox_cwd: '.' })], ENFORCE);
    const args = JSON.stringify({ append: ['.quire/plane/approvals.jsonl'] });
    const { code, stderr } = await plane.run('call', 'evil', 'get_attack', '--args', args);
    expect({ code, stderr }).toEqual({ code: 11, stderr: expect.stringContaining('sandbox_path') });
    expect(await rowOf(plane)).toMatchObject({ status: 'blocked', code: 'sandbox_path', confinement: null });
    expect(await fileText(plane.folder, '.quire/plane/approvals.jsonl').catch(() => '')).not.toContain(
      'forged',
    );
  });

  it('may have its own place beside the state folder, and a folder to write in', async () => {
    const data = '.quire/servers/evil/data';
    const plane = await planeFolder(
      [evil({ sandbox_cwd: data, sandbox_write: ['shared', data], sandbox_read: [READ, '.'] })],
      ENFORCE,
    );
    await putFile(plane.folder, 'shared/a.txt', 'x');
    await putFile(plane.folder, '.quire/servers/other/data/token', 'secret');
    await mkdir(join(plane.folder, data), { recursive: true });
    const at = (path: string) => join(plane.folder, path);
    const paths = ['shared/b.txt', `${data}/b.txt`, '.quire/servers/x'].map(at);
    expect(
      await attack(plane, { create: paths, list: [at('.quire/servers')], remove: [at(`${data}/b.txt`)] }),
    ).toEqual({
      create: {
        [at('shared/b.txt')]: 'done',
        [at(`${data}/b.txt`)]: 'done',
        [at('.quire/servers/x')]: 'EROFS',
      },
      list: { [at('.quire/servers')]: 'evil' },
      remove: { [at(`${data}/b.txt`)]: 'done' },
    });
    expect(await attack(plane, { create: ['mine.txt'], list: ['.'] })).toEqual({
      create: { 'mine.txt': 'done' },
      list: { '.': 'mine.txt' },
    });
    expect(await fileText(plane.folder, '.quire/servers/evil/data/mine.txt')).toBe('mine');
  });

  it('is shown with its links followed, and not started when one was turned', async () => {
    const plane = await planeFolder([evil({ sandbox_read: ['data', READ], sandbox_cwd: 'box' })], ENFORCE);
    await putFile(plane.folder, 'real/a.txt', 'given');
    await mkdir(join(plane.folder, 'real-box'));
    await symlink('real', join(plane.folder, 'data'));
    await symlink('real-box', join(plane.folder, 'box'));
    const at = (path: string) => join(plane.folder, path);
    expect((await rowOf(plane))?.confinement).toMatchObject({
      backend: 'bwrap',
      profile: 'restricted',
      network: false,
      cwd: { path: at('box'), resolved: at('real-box') },
      read: [{ path: at('data'), resolved: at('real') }, expect.anything()],
    });
    expect(await attack(plane, { read: [at('data/a.txt')] })).toEqual({
      read: { [at('data/a.txt')]: 'given' },
    });
    const target = await processTarget([SCRIPT]);
    const elsewhere = { path: at('data'), realPath: at('real-box') };
    const confinement = { ...confinementOf('bwrap', { read: [READ] }), read: [elsewhere] };
    await expect(upstreamOf({ target: { ...target, confinement } }).connect()).rejects.toMatchObject({
      reason: 'launch_failed',
      hint: expect.stringContaining('now leads elsewhere'),
    });
  });

  it('is what call --verbose, discover, the doctor and the listing say it is', async () => {
    const plane = await planeFolder([evil({ sandbox_profile: 'network' })], ENFORCE);
    const { stderr } = await plane.run('call', 'evil', 'get_attack', '--args', '{}', '--verbose');
    expect(stderr).toContain('evil: sandbox: bwrap, profile network\n');
    expect(stderr).toContain(`evil: folder: ${join(plane.folder, 'work')}\n`);
    expect(stderr).toContain('evil: network: open\n');
    expect(stderr).toMatch(/evil: limits: 2048 MB of memory and 3600 s of processor time per process/);
    const doctor = JSON.parse((await plane.run('doctor', '--json')).stdout);
    const check = doctor.data.checks.find(({ check: name }: { check: string }) => name === 'sandbox');
    expect(check).toMatchObject({ status: 'ok', detail: expect.stringContaining('network: open') });
    expect((await plane.run('servers')).stdout).toContain('network (bwrap)');
    const found = JSON.parse((await plane.run('discover', 'evil', '--json')).stdout);
    expect(found.data.confinement).toEqual((await rowOf(plane))?.confinement);
  });
});

describe('without a sandbox', () => {
  it('a server is not started: the reason, the remedy and the way back are said, at once and everywhere', async () => {
    const plane = await planeFolder([evil()], { mcp_sandbox: { backend: 'srt' } });
    for (const words of [
      ['call', 'evil', 'get_attack'],
      ['discover', 'evil'],
      ['read-resource', 'evil', 'file:///x'],
    ]) {
      const { code, stderr } = await plane.run(...words);
      expect({ words, code }).toEqual({ words, code: 11 });
      expect(stderr).toContain('sandbox_unavailable');
      expect(stderr).toContain('apt-get install -y bubblewrap');
      expect(stderr).toContain('mcp_sandbox: { policy: warn }');
      expect(stderr).toContain('sandbox_waiver');
    }
    expect(await rowOf(plane)).toMatchObject({ status: 'blocked', code: 'sandbox_unavailable' });
    const { stdout } = await plane.run('doctor', '--json');
    const checks: readonly { check: string; status: string; detail: string }[] =
      JSON.parse(stdout).data.checks;
    const about = checks.filter(({ check }) => check === 'sandbox.backend' || check === 'sandbox');
    expect(about.map(({ status }) => status)).toEqual(['fail', 'fail']);
    expect(about[0]?.detail).not.toContain('bubblewrap works');
  });

  it('on a machine that has none, calls are refused and nothing is offered', async () => {
    const { plane } = await openedPlane([evil({ expose: true })], ENFORCE, {
      backends: async () => NO_BACKENDS,
    });
    const request = { server: 'evil', kind: 'tool', name: 'get_attack', args: {}, by: 'test' } as const;
    const refusal = { code: 'forbidden', reason: 'sandbox_unavailable' };
    await expect(callCapability(plane, request)).rejects.toMatchObject(refusal);
    await expect(plane.discover(plane.server('evil'))).rejects.toMatchObject(refusal);
    const postures = await posturesOf(plane);
    expect(postures[0]).toMatchObject({ status: 'blocked', sandbox: 'none', confinement: undefined });
    expect(exposureFor(plane, postures, 'agent').filter(({ isVisible }) => isVisible)).toEqual([]);
  });

  it('and with the policy warn it is started, and every command says so', async () => {
    const plane = await planeFolder([evil()], WARN);
    await putFile(plane.folder, 'canary.txt', 'tweet');
    const canary = join(plane.folder, 'canary.txt');
    expect(await attack(plane, { read: [canary] })).toEqual({ read: { [canary]: 'tweet' } });
    const warning = 'warning: evil: Runs without a sandbox, because mcp_sandbox.policy is warn';
    const words = [['servers'], ['discover', 'evil'], ['call', 'evil', 'get_attack', '--args', '{}']];
    for (const one of words) expect((await plane.run(...one)).stderr).toContain(warning);
    expect((await plane.run('servers')).stdout).toContain('NONE (policy: warn)');
    expect(await rowOf(plane)).toMatchObject({
      status: 'ready',
      confinement: { backend: null, network: true, limits: null, hidden: [] },
    });
    const { stdout } = await plane.run('doctor');
    expect(stdout).toContain('servers run without a sandbox');
    expect(stdout).not.toContain('bubblewrap works');
  });
});

describe('a waiver', () => {
  const waived = (until: string) =>
    evil({ sandbox_profile: 'none', sandbox_waiver: { by: 'ann', why: 'needs the GPU', until } });

  it('starts one server without a sandbox, and every listing and call shows it', async () => {
    const plane = await planeFolder([waived('2999-12-31')], ENFORCE);
    const warning = 'Runs without a sandbox, by a waiver of ann until 2999-12-31: needs the GPU';
    expect(await attack(plane, { uid: true })).toEqual({ uid: process.getuid?.() });
    const words = [['servers'], ['discover', 'evil'], ['call', 'evil', 'get_attack', '--args', '{}']];
    for (const one of words) expect((await plane.run(...one)).stderr).toContain(warning);
    expect((await plane.run('servers')).stdout).toContain('NONE, waived until 2999-12-31');
    const { stdout } = await plane.run('call', 'evil', 'get_attack', '--args', '{}', '--json');
    expect(JSON.parse(stdout).data.confinement).toMatchObject({
      backend: null,
      profile: 'none',
      waiver: { by: 'ann', why: 'needs the GPU', until: '2999-12-31' },
    });
  });

  it.each([
    ['sandbox_waiver_expired', waived('2020-01-01')],
    ['sandbox_disabled', evil({ sandbox_profile: 'none' })],
    ['sandbox_disabled', evil({ sandbox_profile: 'disabled' })],
  ])('%s: is not started', async (reason, server) => {
    const plane = await planeFolder([server], ENFORCE);
    const { code, stderr } = await plane.run('call', 'evil', 'get_attack');
    expect({ code, stderr }).toEqual({ code: 11, stderr: expect.stringContaining(reason) });
    expect(await rowOf(plane)).toMatchObject({ status: 'blocked', code: reason });
  });

  it.each([
    ['until', { by: 'ann', why: 'x', until: 'soon' }, 'must be a day'],
    ['until', { by: 'ann', why: 'x', until: '2026-02-31' }, 'must be a day'],
    ['by', { why: 'x', until: '2999-12-31' }, 'by'],
    ['why', { by: 'ann', why: '', until: '2999-12-31' }, 'must not be empty'],
  ])('without a proper %s is a mistake in the configuration', async (_, waiver, problem) => {
    const plane = await planeFolder([evil({ sandbox_profile: 'none', sandbox_waiver: waiver })]);
    const { code, stderr } = await plane.run('servers');
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(problem) });
  });

  it('does nothing for a profile, and that is a mistake too', async () => {
    const waiver = { by: 'ann', why: 'x', until: '2999-12-31' };
    const plane = await planeFolder([evil({ sandbox_profile: 'disabled', sandbox_waiver: waiver })]);
    const { code, stderr } = await plane.run('servers');
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('sandbox_profile: none') });
  });

  it('ends while Quire runs', async () => {
    let now = Date.parse('2026-12-31T23:00:00Z');
    const { plane } = await openedPlane([waived('2026-12-31')], ENFORCE, { now: () => now });
    const server = plane.server('evil');
    expect((await plane.verdict(server)).rejections).toEqual([]);
    now += 3_600_000;
    expect((await plane.verdict(server)).rejections).toMatchObject([{ code: 'sandbox_waiver_expired' }]);
  });

  it('is in the answer that an assistant gets', () => {
    const answer = {
      decision: {} as never,
      result: {},
      findings: [],
      suspicious: new Set<string>(),
      isError: false,
      sent: '',
      milliseconds: 1,
    };
    const bare = { ...confinementOf('process'), warnings: ['Runs without a sandbox.'] };
    expect(metaOf({ ...answer, confinement: bare })).toEqual({
      _meta: { 'sb/sandbox': 'Runs without a sandbox.' },
    });
    expect(metaOf({ ...answer, confinement: confinementOf('bwrap') })).toEqual({});
  });
});

describe('a configuration that everybody may write', () => {
  it.each([
    ['the file', 'quire.yaml', 0o666],
    ['its folder', '.', 0o777],
    ['the state folder', '.quire/plane', 0o777],
  ])('%s: nothing of it is run', async (_, path, mode) => {
    const plane = await planeFolder([evil()]);
    await mkdir(join(plane.folder, '.quire/plane'), { recursive: true, mode: 0o700 });
    await chmod(join(plane.folder, path), mode);
    expect(await rowOf(plane)).toMatchObject({ status: 'blocked', code: 'config_world_writable' });
    const { code, stderr } = await plane.run('call', 'evil', 'get_attack', '--args', '{}');
    expect({ code, stderr }).toEqual({ code: 11, stderr: expect.stringContaining('config_world_writable') });
    expect(stderr).toContain('chmod o-w');
  });
});

describe('the number of processes', () => {
  it.each([
    ['6.1.0-18-amd64', 1000, 'rlimit'],
    ['5.14.0', 1000, 'rlimit'],
    ['6.18.44', 1000, 'rlimit'],
    ['5.10.0-28-amd64', 1000, undefined],
    ['6.1.0', 0, undefined],
    ['6.13.12', 0, undefined],
    ['6.14.0-37-generic', 0, 'namespace'],
    ['7.0.0', 0, 'namespace'],
  ])('on Linux %s for user %s is bounded by %s', (release, uid, expected) => {
    expect(processCountOf(release, uid)).toBe(expected);
  });

  it.each([
    ['6.1.0', 0, 'for root Linux can since 6.14'],
    ['6.18.0', 0, 'root may not make namespaces here'],
    ['5.10.0', 1000, 'Linux can since 5.14'],
  ])('where it is not, on Linux %s for user %s: %s', (release, uid, why) => {
    expect(whyUncounted(release, uid)).toBe(why);
  });

  testWith(countsProcesses, 'is at most the limit, whoever runs Quire', async () => {
    const plane = await planeFolder([evil({ sandbox_limits: { processes: 60 } })], ENFORCE);
    const { processes } = await attack(plane, { processes: 200 });
    // Node itself has a dozen threads.
    expect(processes).toBeGreaterThan(30);
    expect(processes).toBeLessThan(60);
    expect((await rowOf(plane))?.confinement).toMatchObject({ limits: { processes: 60 } });
  });
});
