/** Every reason not to start a server, each by something that would otherwise be started. */
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { judgeArguments } from '../../src/governance/safety/inline-code.ts';
import { type HostFacts, judgeServer, judgeUrl } from '../../src/governance/safety/judge.ts';
import { planLaunch } from '../../src/governance/safety/launch.ts';
import { reachAllowed } from '../../src/upstream/guarded-fetch.ts';
import { sandboxedLaunch } from '../../src/upstream/sandbox/choose.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';
import { planeOf, serverOf } from './kit.ts';
import { confinementOf, NO_BACKENDS } from './sandbox-kit.ts';

const WORKING = { ...NO_BACKENDS, bwrap: { path: '/usr/bin/bwrap', works: true, canSeal: true } };

const DIGEST = `sha256:${'a'.repeat(64)}`;
const GOOD = {
  command: 'good-server',
  args: ['--root', '/x'],
  stdio_allowed_commands: ['good-server'],
  manifest_digest: DIGEST,
  manifest_signature: 'reviewed',
  sandbox_profile: 'restricted',
  client_consent: 'approved',
};

/** A folder with a program in `bin`, as the only place of the search path. */
async function home(): Promise<string> {
  const folder = await temporaryFolder({
    'bin/good-server': '#!/bin/true\n',
    'conf/tool/run': '#!/bin/true\n',
  });
  for (const path of ['bin/good-server', 'conf/tool/run']) await chmod(join(folder, path), 0o755);
  for (const path of ['bin', 'conf/tool']) await chmod(join(folder, path), 0o755);
  return folder;
}

async function judge(
  settings: Record<string, unknown>,
  {
    folder,
    section = {},
    ...around
  }: Partial<HostFacts> & { folder?: string; section?: Record<string, unknown> } = {},
) {
  const place = folder ?? (await home());
  const plane = planeOf(section, [], join(place, 'conf'));
  const { rejections, found } = await judgeServer(serverOf({ ...GOOD, ...settings }), plane, {
    searchPath: join(place, 'bin'),
    backends: WORKING,
    now: Date.now(),
    ...around,
  });
  return { codes: rejections.map(({ code }) => code), rejections, found, place };
}

test('a server with everything in order may start', async () => {
  const { codes, found, place } = await judge({});
  expect(codes).toEqual([]);
  expect(found).toEqual({ path: join(place, 'bin/good-server'), realPath: join(place, 'bin/good-server') });
});

test('on Windows nothing is started, and the reason is the system and not the command', async () => {
  for (const command of ['good-server', 'C:\\tools\\server.exe', 'missing']) {
    const { codes, rejections, found } = await judge({ command }, { platform: 'win32' });
    expect(codes).toEqual(['platform_unsupported']);
    expect(rejections[0]?.reason).toContain('Run Quire in WSL, or reach the server over HTTP');
    expect(found).toBeUndefined();
  }
  const over = serverOf({ name: 'far', transport: 'streamable_http', url: 'https://example.com/mcp' });
  const { rejections } = await judgeServer(over, planeOf(), {
    searchPath: '',
    backends: NO_BACKENDS,
    now: 0,
    platform: 'win32',
  });
  expect(rejections.map(({ code }) => code)).not.toContain('platform_unsupported');
});

describe('the command', () => {
  test.each<readonly [string, unknown]>([
    ['command_missing', undefined],
    ['command_missing', null],
    ['command_missing', ''],
    ['command_not_string', ['uvx', 'x']],
    ['command_not_string', { uvx: 'x' }],
    ['command_not_string', 7],
    ['command_not_single_token', 'uvx server'],
    ['command_not_single_token', 'uvx\tserver'],
    ['command_not_single_token', 'uvx\nserver'],
    ['command_not_single_token', 'uvx\u00a0server'],
    ...[...'|&;<>$()`\\"\'{}[]*?!#~'].map((sign) => ['command_metacharacters', `uv${sign}x`] as const),
    ['command_metacharacters', 'uvx\n'],
    ['command_metacharacters', 'uvx\0'],
    ['command_metacharacters', 'uvx\u007f'],
    ['command_metacharacters', 'uv\u200bx'],
    ['command_metacharacters', 'uv\u202ex'],
    ...'sh bash dash ash zsh ksh mksh csh tcsh fish nu xonsh elvish rbash busybox toybox cmd powershell pwsh osascript'
      .split(' ')
      .map((name) => ['command_is_shell', name] as const),
    ...'wscript cscript env sudo doas su xargs nohup setsid script expect ssh timeout watch nice chroot'
      .split(' ')
      .map((name) => ['command_is_shell', name] as const),
    ...['/bin/BASH', 'bash.exe', 'CMD.EXE', 'pwsh.cmd', '/opt/bash-5.2', 'ksh93', '../sh'].map(
      (name) => ['command_is_shell', name] as const,
    ),
  ])('%s: %j', async (code, command) => {
    const { codes } = await judge({ command, stdio_allowed_commands: [String(command ?? 'x') || 'x'] });
    expect(codes).toContain(code);
  });

  test('a list is refused with a hint where its arguments belong', async () => {
    const { rejections } = await judge({ command: ['uvx', 'x'] });
    expect(rejections[0]?.reason).toBe('command must be a single executable token; put arguments in args');
  });
});

describe('the arguments', () => {
  test.each([[['a', 7]], ['--x'], [{}], [['a\0b']], [null]])('%j is no list of texts', async (args) => {
    expect((await judge({ args })).codes).toEqual(['args_invalid']);
  });

  test.each([
    ['node', ['-e', 'x']],
    ['node', ['--eval=x']],
    ['node', ['-p', 'x']],
    ['node', ['-pe', 'x']],
    ['node', ['--print', 'x']],
    ['node', ['-r', './x.js', 's.js']],
    ['node', ['--require=./x.js', 's.js']],
    ['node', ['--import', 'data:text/javascript,x', 's.js']],
    ['node', ['--loader=./x.mjs', 's.js']],
    ['node', ['--experimental_loader=./x.mjs', 's.js']],
    ['node', ['--title', 'x', '-e', 'x']],
    ['/usr/bin/node20', ['--no-warnings', '--eval', 'x']],
    ['bun', ['-e', 'x']],
    ['tsx', ['--eval', 'x']],
    ['deno', ['eval', 'x']],
    ['deno', ['--quiet', 'eval', 'x']],
    ['npx', ['-c', 'x']],
    ['npx', ['-cx']],
    ['npx', ['-yc', 'x']],
    ['npx', ['--call=x']],
    ['npx', ['--cal', 'x']],
    ['npx', ['-y', '-p', 'pkg', '-c', 'x']],
    ['npx', ['--node-options=--import=x', 'pkg']],
    ['npx', ['--node-arg=-e', 'pkg']],
    ['npm', ['exec', '-c', 'x']],
    ['npm', ['exec', '--shell=/bin/sh', 'pkg']],
    ['npm', ['exec', '--', 'node', '-e', 'x']],
    ['pnpm', ['dlx', '--shell-mode', 'x']],
    ['bunx', ['node', '-e', 'x']],
    ['npx', ['-y', 'node@22', '-e', 'x']],
    ['npx', ['--package', 'x', 'bash', '-c', 'x']],
    ['npx', ['--loglevel', 'sh']],
    ['uvx', ['python', '-c', 'x']],
    ['uvx', ['--from', 'x', 'python3.12', '-c', 'x']],
    ['uvx', ['--unknown', 'python', '-c', 'x']],
    ['uv', ['run', 'bash']],
    ['python', ['-c', 'x']],
    ['python3.11', ['-cx']],
    ['.venv/bin/python', ['-Bc', 'x']],
    ['python', ['-W', 'ignore', '-c', 'x']],
    ['perl', ['-we', 'x']],
    ['perl', ['-Mstrict;x', 's.pl']],
    ['ruby', ['-e', 'x']],
    ['ruby', ['-rx', 's.rb']],
    ['php', ['-r', 'x']],
  ])('%s %j brings code', (command, args) => {
    expect(judgeArguments([command], args).map(({ code }) => code)).toEqual(['args_inline_code']);
  });

  test.each([
    ['python', ['-m', 'brain.mcp.cc_server']],
    ['python', ['-m', 'mod', '-c', 'config.yaml']],
    ['python', ['-mmod', '-c', 'config.yaml']],
    ['python', ['-u', 'server.py', '-c', 'config.yaml']],
    ['python', ['-Wc', 'server.py']],
    ['node', ['server.js', '-e', 'production']],
    ['node', ['--enable-source-maps', 'server.js', '-p', '8080']],
    ['node', ['--max-old-space-size=512', 'server.js', '-r', 'x']],
    ['npx', ['-y', '@scope/server@1.2.3', '-c', 'config.json']],
    ['npx', ['--yes', 'server', '--call', 'x']],
    ['uvx', ['example-mcp-server']],
    ['uvx', ['--from', 'x', 'server', '-c', 'y']],
    ['good-server', ['-c', '-e', '--eval']],
    ['deno', ['run', '-A', 'server.ts']],
  ])('%s %j does not', (command, args) => {
    expect(judgeArguments([command], args)).toEqual([]);
  });
});

test.each(
  (
    'NODE_OPTIONS NODE_PATH LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES BASH_ENV ENV SHELLOPTS PYTHONSTARTUP ' +
    'PYTHONPATH PYTHONHOME PERL5OPT PERL5LIB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS GIT_SSH_COMMAND ' +
    'npm_config_node_options PATH Path'
  ).split(' '),
)('env_code_injection: %s', async (name) => {
  expect((await judge({ env: { API_KEY: 'x', [name]: 'x' } })).codes).toEqual(['env_code_injection']);
});

describe('the list of reviewed commands', () => {
  test('must not be empty', async () => {
    expect((await judge({ stdio_allowed_commands: [] })).codes).toEqual(['no_reviewed_allowlist']);
  });

  test('may be that of the plane', async () => {
    const section = { mcp_stdio_allowed_commands: ['good-server'] };
    expect((await judge({ stdio_allowed_commands: [] }, { section })).codes).toEqual([]);
  });

  test('has the command exactly as it is written', async () => {
    const folder = await home();
    const { codes } = await judge({ command: join(folder, 'bin/good-server') }, { folder });
    expect(codes).toEqual(['command_not_allowlisted']);
  });
});

describe('the file', () => {
  const named = (command: string) => ({ command, stdio_allowed_commands: [command] });

  test('must be there, executable and a file', async () => {
    const folder = await home();
    await putFile(folder, 'bin/plain', 'x');
    await chmod(join(folder, 'bin/plain'), 0o644);
    await mkdir(join(folder, 'bin/folder'));
    for (const name of ['absent', 'plain', 'folder', './tool/absent', '.', '..'])
      expect((await judge(named(name), { folder })).codes).toEqual(['command_not_found']);
  });

  test('with a "/" is looked for from the folder of the configuration, without in PATH only', async () => {
    const folder = await home();
    expect((await judge(named('tool/run'), { folder })).found?.path).toBe(join(folder, 'conf/tool/run'));
    expect((await judge(named('run'), { folder })).codes).toEqual(['command_not_found']);
    const here = relative(process.cwd(), join(folder, 'bin'));
    expect((await judge(named('good-server'), { folder, searchPath: `::${here}` })).codes).toEqual([
      'command_not_found',
    ]);
  });

  test.each(['/bin/bash', '/usr/bin/env'])('that is a link to %s resolves to a shell', async (target) => {
    const folder = await home();
    await symlink(target, join(folder, 'bin/innocent'));
    expect((await judge(named('innocent'), { folder })).codes).toEqual(['command_resolves_to_shell']);
  });

  test('that is an interpreter under another name is judged as one', async () => {
    const folder = await home();
    await symlink(process.execPath, join(folder, 'bin/innocent'));
    expect((await judge({ ...named('innocent'), args: ['-e', 'x'] }, { folder })).codes).toContain(
      'args_inline_code',
    );
  });

  test.each([
    ['the file', 'bin/good-server', 'good-server'],
    ['its folder', 'bin', 'good-server'],
    ['the folder of a link to it', 'open', './../open/link'],
  ])('is refused when everybody may write %s', async (_, path, command) => {
    const folder = await home();
    await mkdir(join(folder, 'open'));
    await symlink(join(folder, 'bin/good-server'), join(folder, 'open/link'));
    await chmod(join(folder, path), 0o777);
    expect((await judge(named(command), { folder })).codes).toEqual(['command_world_writable']);
  });
});

describe('manifest, sandbox and consent', () => {
  test.each([
    ['manifest_missing', { manifest_digest: undefined }],
    ['manifest_missing', { manifest_signature: undefined }],
    ['manifest_malformed', { manifest_digest: `sha256:${'A'.repeat(64)}` }],
    ['manifest_malformed', { manifest_digest: 'sha256:abc' }],
    ['manifest_malformed', { manifest_signature: ' ' }],
    ['sandbox_disabled', { sandbox_profile: undefined }],
    ['sandbox_disabled', { sandbox_profile: 'disabled' }],
    ['sandbox_disabled', { sandbox_profile: 'None' }],
    ['sandbox_unknown', { sandbox_profile: 'strict' }],
    ['consent_required', { client_consent: 'pending' }],
    ['consent_denied', { client_consent: 'denied' }],
  ])('%s: %j', async (code, settings) => {
    const given = Object.fromEntries(Object.entries({ ...GOOD, ...settings }).filter(([, value]) => value));
    const left = Object.keys(GOOD).filter((key) => !(key in given));
    const place = await home();
    const server = serverOf(given);
    expect(left.every((key) => key in settings)).toBe(true);
    const { rejections } = await judgeServer(server, planeOf({}, [], place), {
      searchPath: join(place, 'bin'),
      backends: WORKING,
      now: 0,
    });
    expect(rejections.map((rejection) => rejection.code)).toEqual([code]);
  });

  test('no sandbox on the machine matters, unless the policy is to warn', async () => {
    const section = { mcp_sandbox: { policy: 'warn' } };
    expect((await judge({}, { backends: NO_BACKENDS })).codes).toEqual(['sandbox_unavailable']);
    expect((await judge({}, { backends: NO_BACKENDS, section })).codes).toEqual([]);
  });

  test('with keys a digest of something else is a mismatch', async () => {
    const section = { mcp_manifest_keys: { me: `ed25519:${Buffer.alloc(32, 1).toString('base64')}` } };
    expect((await judge({}, { section })).codes).toEqual(['manifest_mismatch']);
  });
});

test('all problems are reported at once, in the one order', async () => {
  const { codes } = await judge({
    command: 'bash -c\n$X',
    args: 7,
    env: { LD_PRELOAD: 'x' },
    stdio_allowed_commands: [],
    manifest_digest: 'x',
    sandbox_profile: 'none',
    client_consent: 'pending',
  });
  expect(codes).toEqual([
    'command_not_single_token',
    'command_metacharacters',
    'command_is_shell',
    'args_invalid',
    'env_code_injection',
    'no_reviewed_allowlist',
    'manifest_malformed',
    'sandbox_disabled',
    'consent_required',
  ]);
});

describe('addresses', () => {
  const judged = (url: string | undefined, allowPrivate = false) =>
    judgeUrl({ ...(url !== undefined && { url }), allowPrivate }).map(({ code }) => code);

  test.each([
    'https://example.com/mcp',
    'http://localhost:8080/mcp',
    'http://127.0.0.1/mcp',
    'http://[::1]:3000/mcp',
  ])('%s is good', (url) => {
    expect(judged(url)).toEqual([]);
  });

  test.each([
    ['url_missing', undefined],
    ['url_invalid', 'example.com/mcp'],
    ['url_invalid', 'ftp://example.com'],
    ['url_invalid', 'https://exa\nmple.com'],
    ['url_not_https', 'http://example.com/mcp'],
    ['url_not_https', 'http://localhost.example.com/mcp'],
    ['url_userinfo', 'https://a:b@example.com/mcp'],
    ['url_userinfo', 'https://localhost@example.com/mcp'],
    ['url_private_address', 'https://10.0.0.1/mcp'],
    ['url_private_address', 'https://169.254.169.254/latest'],
    ['url_private_address', 'https://[fd00::1]/mcp'],
    ['url_private_address', 'https://0x0a000001/mcp'],
  ])('%s: %s', (code, url) => {
    expect(judged(url)).toEqual([code]);
  });

  test('private ones can be allowed, metadata never', () => {
    expect(judged('https://10.0.0.1/mcp', true)).toEqual([]);
    expect(judged('https://169.254.169.254/mcp', true)).toEqual(['url_private_address']);
  });

  test('what the fetch may reach', () => {
    const reach = (url: string, allowPrivate = false) => reachAllowed(new URL(url), allowPrivate);
    expect(reach('https://example.com')).toBe('public');
    expect(reach('http://localhost:1')).toBe('loopback');
    expect(reach('https://a.test', true)).toBe('private');
  });

  test('consent is asked for them too', async () => {
    const server = serverOf({ transport: 'streamable_http', url: 'http://a.test' });
    const { rejections } = await judgeServer(server, planeOf(), {
      searchPath: '',
      backends: WORKING,
      now: 0,
    });
    expect(rejections.map(({ code }) => code)).toEqual(['url_not_https', 'consent_required']);
  });
});

describe('the launch plan', () => {
  const found = { path: '/opt/venv/bin/python', realPath: '/usr/bin/python3.11' };
  const environment = { SECRET: 's', HOME: '/root', USER: 'me' };
  /** As it is started without a sandbox, in a fresh folder where none is configured. */
  const launchOf = (server: ReturnType<typeof serverOf>) => {
    const plan = planLaunch(server, found, environment);
    const cwd = server.sandboxCwd ?? '/tmp/fresh';
    return sandboxedLaunch({ ...plan, cwd, read: [] }, confinementOf('process'), {
      backends: NO_BACKENDS,
      settingsFolder: '/tmp/settings',
    });
  };

  test('has the real file, its name as found, and an environment of exactly these keys', async () => {
    const server = serverOf({ command: 'python', args: ['-m', 'x'], env: { KEY: `a-\${env:SECRET}` } });
    expect(await launchOf(server)).toEqual({
      file: '/usr/bin/python3.11',
      argv0: '/opt/venv/bin/python',
      args: ['-m', 'x'],
      cwd: '/tmp/fresh',
      env: {
        PATH: '/opt/venv/bin:/usr/local/bin:/usr/bin:/bin',
        HOME: '/tmp/fresh',
        TMPDIR: '/tmp/fresh',
        LANG: 'C.UTF-8',
        KEY: 'a-s',
      },
    });
  });

  test('runs in the configured folder', async () => {
    const launch = await launchOf(serverOf({ command: 'x', sandbox_cwd: '/srv/box' }));
    expect(launch).toMatchObject({ cwd: '/srv/box', env: { HOME: '/srv/box', TMPDIR: '/srv/box' } });
  });

  test('is not made with a variable that is not set', () => {
    const server = serverOf({ command: 'x', env: { KEY: `\${env:ABSENT}` } });
    expect(() => planLaunch(server, found, environment)).toThrow('example: ABSENT');
  });
});
