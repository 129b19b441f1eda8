/** `quire mcp call` and `read-resource` as processes, with a real server in its sandbox. */
import { describe, expect, it, test } from 'vitest';
import { fileText, putFile } from '../kit/temp.ts';
import { BLOCKED, onTerminal, type PlaneFolder, planeFolder, shop } from './plane-kit.ts';
import { until } from './upstream-kit.ts';

const idIn = (text: string): string => /apr_[0-9A-Z]{26}/.exec(text)?.[0] ?? 'no id';
const WRITE = ['call', 'shop', 'write_note', '--arg', 'path=very-private.md'];

const calls = async (plane: PlaneFolder) =>
  (await plane.heard()).filter(({ called }) => called !== undefined);

describe('an approval', () => {
  it('is asked for, lets exactly that call through once, and is asked for again', async () => {
    const plane = await planeFolder([shop()]);
    const first = await plane.run(...WRITE);
    expect(first).toMatchObject({ code: 12, stdout: '' });
    const id = idIn(first.stderr);
    expect(first.stderr).toContain(`quire mcp approvals approve ${id}`);
    expect(await plane.run(...WRITE)).toMatchObject({ code: 12, stderr: expect.stringContaining(id) });
    expect(await calls(plane)).toEqual([]);

    expect(await plane.run('approvals', 'approve', id)).toMatchObject({ code: 0 });
    const changed = await plane.run('call', 'shop', 'write_note', '--arg', 'path=other.md');
    expect(changed).toMatchObject({ code: 12 });
    expect(idIn(changed.stderr)).not.toBe(id);

    const ran = await plane.run(...WRITE);
    expect(ran).toMatchObject({ code: 0, stdout: 'write_note {"path":"very-private.md"}\n' });
    expect(ran.stderr).toMatch(
      new RegExp(`^decision=allow rule=approval:${id} approval=${id} \\d+ ms$`, 'm'),
    );
    const third = await plane.run(...WRITE);
    expect(third).toMatchObject({ code: 12 });
    expect(idIn(third.stderr)).not.toBe(id);
    expect(await calls(plane)).toEqual([{ called: 'write_note', args: { path: 'very-private.md' } }]);

    const log = await plane.audit();
    const ofCall = log.filter(({ call }) => call === log.find(({ event }) => event === 'started')?.call);
    expect(ofCall.map(({ event }) => event)).toEqual(['proposed', 'decided', 'started', 'returned']);
    expect(ofCall[3]).toMatchObject({ outcome: 'ok' });
    expect(JSON.stringify(log)).not.toContain('very-private');
  });

  it('is waited for with --wait, and the id is printed before', async () => {
    const plane = await planeFolder([shop()]);
    const running = plane.start([...WRITE, '--wait', '60']);
    await until(() => running.stderr().includes('apr_'));
    await plane.run('approvals', 'approve', idIn(running.stderr()), '--scope', 'session');
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(await plane.run(...WRITE)).toMatchObject({ code: 12 });
  });

  it('is refused by a policy that was edited in between', async () => {
    const plane = await planeFolder([shop()]);
    const id = idIn((await plane.run(...WRITE)).stderr);
    await plane.run('approvals', 'approve', id);
    const config = await fileText(plane.folder, 'quire.yaml');
    const policy = '\n  mcp_policy: [{ effect: ask, capabilities: ["write*"] }]';
    await putFile(plane.folder, 'quire.yaml', config.replace('control_plane:', `control_plane:${policy}`));
    expect(await plane.run(...WRITE)).toMatchObject({ code: 12 });
    expect(await plane.run('approvals', 'show', id, '--json')).toMatchObject({
      stdout: expect.stringContaining('"superseded"'),
    });
  });
});

describe('--yes', () => {
  it('is refused without a terminal, before anything is asked', async () => {
    const plane = await planeFolder([shop()]);
    const { code, stderr } = await plane.runAs({}, ...WRITE, '--yes');
    expect({ code, stderr }).toEqual({ code: 11, stderr: expect.stringContaining('a person at a terminal') });
    expect(await plane.audit()).toEqual([]);
  });

  it('approves once on a terminal, and never what destroys', async () => {
    const plane = await planeFolder([shop()]);
    const ran = await onTerminal(plane, [...WRITE, '--yes'], [['[y/N]', 'y\n']]);
    expect(ran.screen).toContain('write_note {"path":"very-private.md"}');
    expect(ran.code).toBe(0);
    const destroying = await onTerminal(plane, ['call', 'shop', 'delete_note', '--arg', 'path=a', '--yes']);
    expect(destroying.screen).toContain('never approves what destroys');
    expect(destroying.code).toBe(12);
    expect(await calls(plane)).toHaveLength(1);
  });
});

describe('a call ends with', () => {
  test.each([
    ['0, a tool', ['get_note', '--args', '{"path":"a"}'], 0, 'get_note {"path":"a"}\n', /decision=allow/],
    ['0, structured content', ['get_structured'], 0, '{\n  "answer": 42\n}\n', /decision=allow/],
    ['0, a prompt', ['greet', '--kind', 'prompt', '--arg', 'who=you'], 0, 'user:\nGreet you\n', /decision/],
    [
      '0, hidden text is reported',
      ['get_hidden'],
      0,
      /^\[Untrusted data [\s\S]*\nplain text\[31m\n<<<end/,
      /finding=unicode.hidden hard/,
    ],
    [
      '0, types from the schema',
      ['get_note', '--arg', 'path=5', '--arg', 'count=5'],
      0,
      /"5","count":5/,
      /./,
    ],
    ['2, wrong arguments', ['get_note', '--arg', 'count=x'], 2, '', /invalid_arguments/],
    ['2, no JSON', ['get_note', '--args', '{'], 2, '', /--args is not JSON/],
    ['2, no pair', ['get_note', '--arg', 'x'], 2, '', /name=value/],
    ['2, an unknown kind', ['get_note', '--kind', 'x'], 2, '', /--kind tool/],
    ['2, no such file', ['get_note', '--args', '@no.json'], 2, '', /Cannot read the file/],
    ['4, an unknown tool', ['no_such'], 4, '', /quire mcp discover shop/],
    ['10, a server that dies', ['get_crash'], 10, '', /closed/],
    ['10, a server that is slow', ['get_slow', '--timeout', '3000'], 10, '', /3000 ms/],
    ['11, a hidden tool', ['get_change'], 11, '', /tool_denied/],
    ['12, no decision', ['write_note', '--arg', 'path=a'], 12, '', /apr_/],
    ['13, the tool failed', ['get_fail'], 13, 'It did not work.\n', /The tool failed/],
  ])('%s', async (_, words, code, stdout, stderr) => {
    const plane = await planeFolder([shop({ deny_tools: ['get_change'] })]);
    const ended = await plane.run('call', 'shop', ...words);
    expect(ended.stderr).toMatch(stderr);
    expect(ended.code).toBe(code);
    if (typeof stdout === 'string') expect(ended.stdout).toBe(stdout);
    else expect(ended.stdout).toMatch(stdout);
  });

  test('3, a mistake in the configuration', async () => {
    const plane = await planeFolder([shop({ trsut: 'reviewed' })]);
    expect(await plane.run('call', 'shop', 'get_note')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /^quire: config: control_plane.*trsut: unknown key \(did you mean trust\?\)/,
      ),
    });
  });

  test('4, an unknown server; 11, one that may not be started', async () => {
    const plane = await planeFolder([shop(), BLOCKED]);
    expect(await plane.run('call', 'shpo', 'x')).toMatchObject({ code: 4 });
    expect(await plane.run('call', 'bad', 'x', '--json')).toMatchObject({
      code: 11,
      stdout: expect.stringContaining('"code": "no_reviewed_allowlist"'),
    });
    expect(await plane.run('call', 'shop', 'get_note', '--arg', 'path=a')).toMatchObject({ code: 0 });
  });

  test('130 after Ctrl-C, and the server hears that it is cancelled', async () => {
    const plane = await planeFolder([shop()]);
    const running = plane.start(['call', 'shop', 'get_slow']);
    await until(async () => (await calls(plane)).length === 1);
    running.interrupt();
    expect(await running.ended).toMatchObject({ code: 130 });
    expect(await plane.heard()).toContainEqual({ method: 'notifications/cancelled' });
    expect((await plane.audit()).at(-1)).toMatchObject({ event: 'returned', outcome: 'cancelled' });
  });
});

test('--dry-run decides, and nothing is called, asked for or written down', async () => {
  const plane = await planeFolder([shop({ deny_tools: ['get_change'] })]);
  const decided = async (name: string, ...more: string[]) =>
    JSON.parse((await plane.run('call', 'shop', name, '--dry-run', '--json', ...more)).stdout).data;
  expect(await decided('write_note', '--arg', 'path=a')).toMatchObject({ decision: 'ask', rule: 'default' });
  expect(await decided('get_change')).toMatchObject({ decision: 'deny', code: 'tool_denied' });
  expect(await plane.run('call', 'shop', 'get_fail', '--dry-run')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^decision=allow rule=default/),
  });
  expect([await calls(plane), await plane.audit()]).toEqual([[], []]);
});

test('arguments come from a file or from stdin, and single ones go over them', async () => {
  const plane = await planeFolder([shop()]);
  await putFile(plane.folder, 'args.json', '{"path":"a","count":1}');
  const words = ['call', 'shop', 'get_note', '--args'];
  expect(await plane.run(...words, '@args.json', '--arg', 'count=2')).toMatchObject({
    stdout: 'get_note {"path":"a","count":2}\n',
  });
  expect(await plane.start([...words, '-'], '{"path":"b"}').ended).toMatchObject({
    stdout: 'get_note {"path":"b"}\n',
  });
  expect(await plane.start([...words, '-'], '[]').ended).toMatchObject({ code: 2 });
});

describe('read-resource', () => {
  it('prints text, tells what a blob is, and saves to a new file only', async () => {
    const plane = await planeFolder([shop()]);
    const read = (...words: string[]) => plane.run('read-resource', 'shop', ...words);
    expect(await read('shop://items/7/text')).toMatchObject({
      code: 0,
      stdout: 'text of shop://items/7/text\n',
    });
    expect((await read('shop://logo')).stdout).toMatch(/^image\/png, 3 bytes, sha256 [0-9a-f]{64}\n$/);
    expect(await read('shop://readme', '--out', 'a.txt')).toMatchObject({ code: 0 });
    expect(await fileText(plane.folder, 'a.txt')).toBe('text of shop://readme');
    expect(await read('shop://logo', '--out', 'a.txt')).toMatchObject({ code: 2 });
    expect(await fileText(plane.folder, 'a.txt')).toBe('text of shop://readme');
    expect(await read('shop://readme', '--max-bytes', '5')).toMatchObject({ code: 2 });
    expect(await read('other://x')).toMatchObject({ code: 4 });
  });
});
