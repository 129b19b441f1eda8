/** A server that does not start: the operator reads why, where its log is, and which setting of the sandbox opens it. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deniedBy, endingOf } from '../../src/upstream/ending.ts';
import { testWith } from '../kit/needs.ts';
import { fileText, putFile } from '../kit/temp.ts';
import { planeFolder, shop } from './plane-kit.ts';
import { bubblewrap, testServer } from './sandbox-kit.ts';

const UNBOUND = { mcp_sandbox: { backend: 'process', policy: 'warn' } };
const broken = (...args: string[]) =>
  shop({ name: 'broken', args: [testServer('broken.mjs'), ...args], env: { API_KEY: 'hunter2-hunter2' } });

describe('without a sandbox', () => {
  it.each([
    ['discover', 'broken'],
    ['call', 'broken', 'get_time'],
  ])('quire mcp %s prints its last lines, without its secrets, and the path of its log', async (...words) => {
    const plane = await planeFolder([broken('exit')], UNBOUND);
    const { code, stderr } = await plane.run(...words);
    expect(code).toBe(10);
    expect(stderr).toContain('It ended (exit code 2).\nIts last lines:\n  | key [API_KEY]\n  | red words\n');
    expect(stderr).toContain(join(plane.folder, '.quire/plane/broken.log'));
    expect(stderr).not.toContain('hunter2');
    const asJson = JSON.parse((await plane.run(...words, '--json')).stdout);
    expect(asJson.error.details).toMatchObject({ reason: 'closed', stderr: 'key [API_KEY]\nred words' });
  });

  it('servers --probe and doctor --probe say it too, and logs has all of it', async () => {
    const plane = await planeFolder([broken('exit')], UNBOUND);
    expect((await plane.run('servers', '--probe')).stdout).toContain('red words');
    expect((await plane.run('doctor', 'broken', '--probe')).stdout).toContain('red words');
    const { stdout } = await plane.run('logs', 'broken', '--lines', '1');
    expect(stdout).toBe('red words\n');
    expect(await fileText(plane.folder, '.quire/plane/broken.log')).toContain('\u001b[31mred');
  });

  it('one that does not answer in time shows what it said until then', async () => {
    const plane = await planeFolder([broken('hang')], {
      ...UNBOUND,
      mcp_limits: { connect_timeout_ms: 1_500 },
    });
    expect((await plane.run('discover', 'broken')).stderr).toContain('  | red words\n');
  });
});

describe('quire mcp logs', () => {
  it('prints the last lines, and names what is wrong', async () => {
    const remote = { name: 'far', transport: 'streamable_http', url: 'https://example.com/mcp' };
    const plane = await planeFolder([broken('exit'), remote]);
    const empty = await plane.run('logs', 'broken');
    expect(empty).toMatchObject({ code: 0, stdout: '' });
    expect(empty.stderr).toContain('It has written nothing yet');
    await putFile(plane.folder, '.quire/plane/broken.log', 'one\ntwo\n\u202ethree\n');
    expect((await plane.run('logs', 'broken', '--lines', '2')).stdout).toBe('two\nthree\n');
    expect((await plane.run('logs', 'broken', '--lines', 'x')).stderr).toContain('--lines must be');
    expect((await plane.run('logs', 'far')).stderr).toContain('Only stdio servers have one');
    expect((await plane.run('logs', 'brokn')).stderr).toContain('Did you mean broken?');
  });

  it('goes on with --follow until it is interrupted', async () => {
    const plane = await planeFolder([broken('exit')]);
    await putFile(plane.folder, '.quire/plane/broken.log', 'one\ntwo\n');
    const following = plane.start(['logs', 'broken', '--follow', '--lines', '1']);
    await expect.poll(following.stdout, { timeout: 10_000 }).toBe('two\n');
    // As servers do: a file that is written anew is empty for a moment, and followed from its beginning.
    await appendFile(join(plane.folder, '.quire/plane/broken.log'), 'three\n');
    await expect.poll(following.stdout, { timeout: 10_000 }).toBe('two\nthree\n');
    following.interrupt();
    expect((await following.ended).code).toBe(130);
  });
});

describe('what the sandbox denied', () => {
  const hidden = testServer('broken.mjs');
  it.each([
    ["EROFS: read-only file system, open '/usr/x'", 'restricted', 'only in its own folder, sandbox_cwd'],
    ['OSError: [Errno 30] Read-only file system', 'readonly', 'sandbox_profile: readonly'],
    ['getaddrinfo EAI_AGAIN example.com', 'restricted', 'sandbox_profile: network'],
    ['connect ENETUNREACH 1.2.3.4:443', 'readonly', 'sandbox_profile: network'],
    [`ENOENT: no such file or directory, open '${hidden}'`, 'restricted', 'into sandbox_read'],
    [`Error: Cannot find module '${hidden}'`, 'restricted', `The sandbox hides ${hidden}`],
    ["EACCES: permission denied, open '/x'", 'restricted', 'sandbox_read'],
  ] as const)('%s', (said, profile, expected) => {
    expect(deniedBy(said, profile)).toContain(expected);
  });

  it('is not blamed for what is no rule of it', () => {
    expect(deniedBy('ENOENT: no such file, open /nowhere/at/all', 'restricted')).toBeUndefined();
    expect(deniedBy('getaddrinfo ENOTFOUND example.com', 'network')).toBeUndefined();
    expect(deniedBy('TypeError: x is not a function', 'restricted')).toBeUndefined();
    const facts = { backend: 'process', profile: 'restricted', env: {} } as const;
    expect(endingOf('EROFS', facts)).toEqual({ stderr: 'EROFS' });
  });

  it('keeps the last 20 lines and 4 KB', () => {
    const facts = { backend: 'process', profile: 'restricted', env: {} } as const;
    const lines = Array.from({ length: 100 }, (_, at) => `line ${at} ${'x'.repeat(at === 99 ? 9_000 : 1)}`);
    const { stderr = '' } = endingOf(lines.slice(0, 99).join('\n'), facts);
    expect(stderr.split('\n')).toHaveLength(20);
    expect(endingOf(lines.join('\n'), facts).stderr?.length).toBeLessThan(4_097);
  });
});

testWith(bubblewrap, 'inside a real sandbox the message names the rule', async () => {
  const outside = testServer('../kit.ts');
  const named = (name: string, ...args: string[]) => ({ ...broken(...args), name });
  const plane = await planeFolder([
    named('writer', 'write'),
    named('reader', 'read', outside),
    named('caller', 'network'),
  ]);
  const said = async (name: string) => (await plane.run('discover', name)).stderr;
  const [writer, reader, caller] = await Promise.all(['writer', 'reader', 'caller'].map(said));
  expect(writer).toContain('The sandbox lets it write only in its own folder');
  expect(reader).toContain(`The sandbox hides ${outside} from it`);
  expect(caller).toContain('sandbox_profile: network');
});
