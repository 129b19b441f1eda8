/** `quire mcp` and `sb mcp` as real processes. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { list, listed, startRegistry } from '../../kit/registry.ts';
import { BINARY } from '../../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../../kit/temp.ts';

interface CommandResult {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  words: readonly string[],
  options: { binary?: string; cwd?: string } = {},
): Promise<CommandResult> {
  const cwd = options.cwd ?? (await temporaryFolder());
  const { binary = BINARY } = options;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [binary, ...words],
      { cwd, env: { ...CLEAN_ENVIRONMENT, HOME: cwd } },
      (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });
}

function started(words: readonly string[], cwd: string): ChildProcess {
  const child = spawn(process.execPath, [BINARY, ...words], {
    cwd,
    env: { ...CLEAN_ENVIRONMENT, HOME: cwd },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** As npm puts them on the path. */
async function secondName(): Promise<string> {
  const path = join(await temporaryFolder(), 'sb');
  await symlink(BINARY, path);
  return path;
}

describe('quire mcp', () => {
  it('answers in JSON and ends with 0', async () => {
    const { code, stdout, stderr } = await run(['mcp', 'marketplace', 'memory', '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      data: { source: 'builtin', servers: [{ name: 'io.github.modelcontextprotocol/server-memory' }] },
    });
  });

  test.each([
    [['mcp', 'marketplace', '--bogus'], 2],
    [['mcp', 'nonsense'], 2],
    [['mcp', 'marketplace', '--config', 'no.yaml'], 3],
    [['mcp', 'marketplace', 'show', 'no-such-server'], 4],
  ])('%j ends with %i, in words and without a stack', async (words, exit) => {
    const { code, stdout, stderr } = await run(words);
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
    expect(stderr).toMatch(/^quire: \S/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('ends with 130 at %s, in JSON too', async (signal) => {
    const registry = await startRegistry(() => undefined);
    const child = started(
      ['mcp', 'marketplace', '--json', '--source', registry.address],
      await temporaryFolder(),
    );
    let stdout = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    for (let tries = 0; tries < 2_000 && registry.asked.length === 0; tries++) await sleep(25);
    child.kill(signal);
    const [code] = await once(child, 'close');
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'cancelled', exit_code: 130 } });
  });

  it('does not fail when its reader closes the pipe', async () => {
    const folder = await temporaryFolder({
      'list.json': JSON.stringify(list(Array.from({ length: 5_000 }, (_, at) => listed(`a.b/s${at}`)))),
    });
    const child = started(
      ['mcp', 'marketplace', '--json', '--limit', '1000', '--source', 'list.json'],
      folder,
    );
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.stdout?.once('data', () => child.stdout?.destroy());
    const [code] = await once(child, 'close');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('prints a long answer whole', async () => {
    const folder = await temporaryFolder({
      'list.json': JSON.stringify(list(Array.from({ length: 5_000 }, (_, at) => listed(`a.b/s${at}`)))),
    });
    const { stdout } = await run(
      ['mcp', 'marketplace', '--json', '--limit', '1000', '--source', 'list.json'],
      {
        cwd: folder,
      },
    );
    expect(JSON.parse(stdout).data.servers).toHaveLength(1_000);
  });
});

describe('the second name', () => {
  it('is the same program', async () => {
    const { code, stdout } = await run(['mcp', 'marketplace', '--json'], { binary: await secondName() });
    expect({ code, ok: JSON.parse(stdout).ok }).toEqual({ code: 0, ok: true });
  });

  test.each([
    [['--help'], /^Usage: sb /],
    [['mcp', '--help'], /^Usage: sb mcp /],
    [['mcp', 'marketplace', '--help'], /^Usage: sb mcp marketplace /],
    [['vault', '--help'], /^Usage: sb vault /],
  ])('%j speaks of itself by it', async (words, opens) => {
    const { code, stdout } = await run(words, { binary: await secondName() });
    expect(code).toBe(0);
    expect(stdout).toMatch(opens);
    expect(stdout).not.toMatch(/\bquire (?!is)/);
  });

  it('stands before problems and in what to do about them', async () => {
    const binary = await secondName();
    expect((await run([], { binary })).stderr).toBe(
      'sb: No folder given\nUsage: sb <folder>, for example: sb ~/notes\nOr write a configuration once, with: sb init\n',
    );
    expect((await run(['mcp', 'nonsense'], { binary })).stderr).toMatch(
      /^sb: .*\n(?:.*\n)?Run sb mcp --help/,
    );
  });
});

describe('the help', () => {
  it('of quire names mcp; that of mcp only what there is', async () => {
    expect((await run(['--help'])).stdout).toMatch(/^ {2}mcp .*govern/m);
    const { stdout } = await run(['mcp', '--help']);
    const named = [...stdout.matchAll(/^ {2}([a-z][a-z-]+) /gm)].map((match) => match[1]);
    expect(named.filter((name) => name !== 'quire' && name !== 'help')).toEqual([
      'add',
      'servers',
      'discover',
      'call',
      'read-resource',
      'compile-resource',
      'doctor',
      'approvals',
      'audit',
      'consent',
      'enable',
      'disable',
      'remove',
      'login',
      'logout',
      'logs',
      'score',
      'exposure',
      'report',
      'marketplace',
      'manifest',
      'keygen',
    ]);
  });
});

test('no other command reads what quire mcp is made of', async () => {
  const built = (name: string) => readFile(join(BINARY, '..', name), 'utf8');
  const ofPlane = 'io.modelcontextprotocol.registry/official';
  expect(await built('quire-plane.cjs')).toContain(ofPlane);
  expect(await built('quire-bundle.cjs')).not.toContain(ofPlane);
  expect(await built('quire-server.cjs')).not.toContain(ofPlane);
});

test('a server without governed servers reads nothing of them', async () => {
  const built = (name: string) => readFile(join(BINARY, '..', name), 'utf8');
  const ofSandbox = '--unshare-';
  expect(await built('quire-upstream.cjs')).toContain(ofSandbox);
  expect(await built('quire-bundle.cjs')).not.toContain(ofSandbox);
  expect(await built('quire-server.cjs')).not.toContain(ofSandbox);
});
