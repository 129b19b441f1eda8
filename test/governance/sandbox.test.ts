/** The rights of a program inside the sandbox, tried with a real one. */
import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LaunchPlan, SandboxProfile } from '../../src/upstream/sandbox/backends.ts';
import { bubblewrapLaunch } from '../../src/upstream/sandbox/backends.ts';
import { chooseBackend, launchWarnings, sandboxedLaunch } from '../../src/upstream/sandbox/choose.ts';
import { type Backends, detectBackends } from '../../src/upstream/sandbox/detect.ts';
import { describeWith } from '../kit/needs.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { backends, bubblewrap, PROJECT } from './sandbox-kit.ts';

const WORKS = { path: '/usr/bin/x', works: true };
const MISSING = { path: undefined, works: false, detail: 'not installed' };

const same = (path: string) => ({ path, realPath: path });

function planOf(parts: Partial<LaunchPlan>): LaunchPlan {
  return { file: '/usr/bin/node', args: [], cwd: '/tmp', env: {}, read: [], ...parts };
}

/** A Node from a folder of that name keeps it. */
const nodeIsInWork = process.execPath.startsWith('/work/');
const WORK = nodeIsInWork ? '/quire-work' : '/work';
const ROOT = `bin dev lib lib64 proc ${nodeIsInWork ? 'quire-work ' : ''}tmp usr work`;

/** Runs a piece of JavaScript inside; what it prints as JSON comes back. */
async function runInside(
  code: string,
  profile: SandboxProfile = 'restricted',
  parts: Partial<LaunchPlan> = {},
): Promise<Record<string, unknown>> {
  const cwd = parts.cwd ?? (await temporaryFolder());
  const plan = planOf({ file: process.execPath, args: ['-e', code], ...parts, cwd });
  const launch = bubblewrapLaunch(backends.bwrap.path ?? '', plan, profile);
  return new Promise((resolve, reject) => {
    execFile(launch.file, launch.args, { cwd: launch.cwd, env: launch.env }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr || error.message)) : resolve(JSON.parse(stdout)),
    );
  });
}

const attempt = (name: string, expression: string) =>
  `try { out.${name} = ${expression} } catch (e) { out.${name} = e.code }`;
const report = (...steps: string[]) =>
  `const fs = require('fs'); const out = {}; ${steps.join('; ')}; console.log(JSON.stringify(out))`;

describeWith(bubblewrap, 'inside bubblewrap', () => {
  it('cannot read what lies elsewhere: a canary, the password file, homes, our temporary files', async () => {
    const outside = await temporaryFolder({ 'canary.txt': 'tweet' });
    const found = await runInside(
      report(
        attempt('canary', `fs.readFileSync(${JSON.stringify(join(outside, 'canary.txt'))}, 'utf8')`),
        attempt('shadow', `fs.readFileSync('/etc/shadow', 'utf8')`),
        attempt('home', `fs.readdirSync('/root')`),
        attempt('project', `fs.readdirSync(${JSON.stringify(PROJECT)})`),
        attempt('root', `fs.readdirSync('/').sort().join(' ')`),
      ),
    );
    expect(found).toEqual({
      canary: 'ENOENT',
      shadow: 'ENOENT',
      home: 'ENOENT',
      project: 'ENOENT',
      root: ROOT,
    });
  });

  it('writes to its own folder, and nowhere else', async () => {
    const cwd = await temporaryFolder();
    const read = await temporaryFolder({ 'data.txt': 'given' });
    const found = await runInside(
      report(
        attempt('own', `fs.writeFileSync('note.txt', 'mine') ?? 'written'`),
        attempt('given', `fs.readFileSync(${JSON.stringify(join(read, 'data.txt'))}, 'utf8')`),
        attempt('into_given', `fs.writeFileSync(${JSON.stringify(join(read, 'data.txt'))}, 'x')`),
        attempt('system', `fs.writeFileSync('/usr/bin/x', 'x')`),
      ),
      'restricted',
      { cwd, read: [same(read)] },
    );
    expect(found).toEqual({ own: 'written', given: 'given', into_given: 'EROFS', system: 'EROFS' });
    expect(await readFile(join(cwd, 'note.txt'), 'utf8')).toBe('mine');
    expect(await readFile(join(read, 'data.txt'), 'utf8')).toBe('given');
  });

  it('writes nothing at all with the profile readonly', async () => {
    const found = await runInside(report(attempt('own', `fs.writeFileSync('note.txt', 'mine')`)), 'readonly');
    expect(found).toEqual({ own: 'EROFS' });
  });

  it.each([
    ['restricted', 'ECONNREFUSED'],
    ['network', 'reached'],
  ] as const)('%s: a listener on loopback is %s', async (profile, expected) => {
    let reached = 0;
    const listener = createServer((socket) => {
      reached++;
      socket.end();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void listener.close());
    const address = listener.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const tell = (what: string) => `console.log(JSON.stringify({ result: ${what} }))`;
    const found = await runInside(
      `require('net').connect(${port}, '127.0.0.1').on('connect', function () { ${tell(`'reached'`)}; this.destroy() }).on('error', (e) => ${tell('e.code')})`,
      profile,
    );
    expect(found).toEqual({ result: expected });
    expect(reached).toBe(profile === 'network' ? 1 : 0);
  });

  it('sees its configured environment, no other process, and has no capabilities', async () => {
    process.env.QUIRE_TEST_SECRET = 'ours';
    onTestFinished(() => void delete process.env.QUIRE_TEST_SECRET);
    const found = await runInside(
      report(
        'out.env = process.env',
        'out.uid = process.getuid()',
        `out.processes = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length`,
        `out.rights = /CapEff:\\s*(\\w+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]`,
      ),
      'restricted',
      { env: { API_KEY: 'configured' } },
    );
    expect(found).toEqual({
      env: {
        API_KEY: 'configured',
        PATH: expect.stringMatching(/:\/usr\/local\/bin:\/usr\/bin:\/bin$/),
        HOME: WORK,
        TMPDIR: '/tmp',
        LANG: 'C.UTF-8',
        PWD: WORK,
      },
      uid: 65534,
      processes: 2,
      rights: '0000000000000000',
    });
  });

  it('keeps the values of the environment out of the arguments, which all users can read', () => {
    const launch = bubblewrapLaunch('/usr/bin/bwrap', planOf({ env: { API_KEY: 'hush' } }), 'restricted');
    expect(launch.args.join(' ')).not.toContain('hush');
    expect(launch.env.API_KEY).toBe('hush');
  });

  it('runs a program from outside the system folders', async () => {
    const folder = await temporaryFolder();
    const program = join(folder, 'hello');
    await writeFile(program, `#!/usr/bin/env node\nconsole.log(JSON.stringify({ said: 'hello' }))`);
    await chmod(program, 0o755);
    expect(await runInside('', 'restricted', { file: program, args: [] })).toEqual({ said: 'hello' });
  });

  it('does not cover what it may read with its own folder', () => {
    const launch = bubblewrapLaunch('/usr/bin/bwrap', planOf({ read: [same('/work/notes')] }), 'restricted');
    expect(launch.args.slice(launch.args.indexOf('--chdir'))).toContain('/quire-work');
    expect(launch.env.HOME).toBe('/quire-work');
  });

  it('runs a server of the project, given its folder to read', async () => {
    const modules = join(PROJECT, 'node_modules');
    const code = `const z = require(${JSON.stringify(join(modules, 'zod'))}); console.log(JSON.stringify({ ok: z.string().safeParse('x').success }))`;
    expect(await runInside(code, 'restricted', { read: [same(modules)] })).toEqual({ ok: true });
  });
});

describe('the choice of a sandbox', () => {
  const all: Backends = { bwrap: WORKS, srt: WORKS };
  const none: Backends = { bwrap: MISSING, srt: MISSING };
  const onlySrt: Backends = { bwrap: MISSING, srt: WORKS };

  it.each([
    ['auto', all, 'restricted', 'bwrap'],
    ['auto', onlySrt, 'readonly', 'srt'],
    ['srt', all, 'restricted', 'srt'],
    ['bwrap', all, 'network', 'bwrap'],
  ] as const)('%s takes what works (%#)', (backend, there, profile, expected) => {
    expect(chooseBackend({ backend, policy: 'enforce' }, there, { profile })).toEqual({
      backend: expected,
      warnings: [],
    });
  });

  it.each([
    ['auto', none, 'restricted', 'not installed'],
    ['bwrap', onlySrt, 'restricted', 'not installed'],
    ['process', all, 'restricted', 'asks for none'],
    ['srt', all, 'network', 'no profile network'],
  ] as const)(
    '%s without one: warned about, or refused when enforced (%#)',
    (backend, there, profile, why) => {
      expect(chooseBackend({ backend, policy: 'warn' }, there, { profile })).toEqual({
        backend: 'process',
        warnings: [expect.stringContaining(why)],
      });
      expect(chooseBackend({ backend, policy: 'enforce' }, there, { profile })).toEqual({
        code: 'sandbox_unavailable',
        reason: expect.stringMatching(new RegExp(`${why}.*Install bubblewrap`)),
      });
    },
  );

  it('finds that a sandbox is not there, or is there and does not work', async () => {
    const folder = await temporaryFolder();
    expect((await detectBackends(folder, [folder])).bwrap).toMatchObject({ path: undefined, works: false });
    await writeFile(join(folder, 'bwrap'), '#!/bin/sh\necho "no permission here" >&2; exit 1');
    await chmod(join(folder, 'bwrap'), 0o755);
    const found = await detectBackends(folder, [folder]);
    expect(found.bwrap).toEqual({ path: join(folder, 'bwrap'), works: false, detail: 'no permission here' });
    expect(found.srt).toMatchObject({ path: undefined, works: false });
  });

  it('finds an installed sandbox runtime and tells it by a file of its own what is allowed', async () => {
    const project = await temporaryFolder({
      'node_modules/@anthropic-ai/sandbox-runtime/package.json': '{"bin":{"srt":"cli.js"}}',
      'node_modules/@anthropic-ai/sandbox-runtime/cli.js': 'console.log("0.0.78")',
    });
    const there = await detectBackends(project, []);
    expect(there.srt.works).toBe(true);
    const settingsFolder = await temporaryFolder();
    const plan = planOf({ cwd: '/tmp/own', args: ['-c', 'x'], read: [same('/data')] });
    const srt = { backend: 'srt', profile: 'restricted' } as const;
    const launch = await sandboxedLaunch(plan, srt, { backends: there, settingsFolder });
    const settings = join(settingsFolder, 'srt-settings.json');
    expect(launch.args).toEqual([there.srt.path, '--settings', settings, '--', '/usr/bin/node', '-c', 'x']);
    expect(JSON.parse(await readFile(settings, 'utf8'))).toMatchObject({
      network: { allowedDomains: [] },
      filesystem: {
        allowRead: expect.arrayContaining(['/tmp/own', '/usr/bin/node', '/data']),
        allowWrite: ['/tmp/own'],
      },
    });
  });

  it('warns of launchers that fetch what they cannot reach', () => {
    expect(launchWarnings(planOf({ file: '/opt/uvx' }), 'restricted')).toEqual([
      expect.stringContaining('uvx fetches packages'),
    ]);
    expect(launchWarnings(planOf({ file: '/opt/uvx' }), 'network')).toEqual([]);
    expect(launchWarnings(planOf({}), 'restricted')).toEqual([]);
  });
});
