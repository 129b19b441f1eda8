/** The log of `quire trilium`, the built binary, and what must never be in it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { createMetrics, TRILIUM_NAMES } from '../../src/http/metrics.ts';
import type { ToolCallRecord } from '../../src/mcp/tool.ts';
import { classOf } from '../../src/surfaces/trilium/render-error.ts';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';
import { startTrilium, TOKEN } from '../kit/trilium/server.ts';
import { withTrilium } from '../wire/trilium/support.ts';

const NOTES = [{ id: 'abcd', title: 'A', content: '<p>one</p>' }];
const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

type McpRequest = { readonly method: string; readonly params?: unknown };
const calling = (name: string, args: unknown): McpRequest => ({
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Asks one thing after the other and gives what was written. */
async function run(asked: readonly McpRequest[], env: Record<string, string>, args: readonly string[] = []) {
  const child = spawn(process.execPath, [BINARY, 'trilium', ...args], {
    env: { ...CLEAN_ENVIRONMENT, HOME: await temporaryFolder(), ...env },
    cwd: await temporaryFolder(),
  });
  onTestFinished(() => void child.kill());
  let stderr = '';
  let stdout = '';
  let answered = () => {};
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    if (String(chunk).endsWith('\n')) answered();
  });
  child.stdin.on('error', () => {});
  const closed = once(child, 'close');
  for (const [at, one] of [INITIALIZE, ...asked].entries()) {
    const answer = new Promise<void>((resolve) => {
      answered = resolve;
    });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: at + 1, ...one })}\n`);
    await Promise.race([answer, closed]);
  }
  child.stdin.end();
  const [code] = await closed;
  return { code: code as number, stdout, stderr, lines: stderr.split('\n').filter((line) => line !== '') };
}

async function connected(env: Record<string, string> = {}) {
  const fake = await startTrilium({ notes: NOTES });
  return { fake, env: { TRILIUM_URL: fake.url, TRILIUM_TOKEN: TOKEN, ...env } };
}

const CALLS = [
  { method: 'tools/list' },
  calling('get_note', { noteId: 'abcd' }),
  calling('get_note', { noteId: 'none1' }),
  calling('get_note', {}),
  calling('write_note', {
    noteId: 'abcd',
    mode: 'edit',
    changes: [{ old_string: 'nowhere', new_string: 'x' }],
  }),
  calling('frobnicate', {}),
];

test('at info, as text: the start, the list, and one line for each call', async () => {
  const { env } = await connected();
  const { lines, stdout } = await run(CALLS, env);
  const plain = lines.map((line) =>
    line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /, '').replace(/duration_ms=\d+/, 'duration_ms=N'),
  );
  expect(plain).toEqual([
    'INFO  server_started transport=stdio',
    'INFO  list_tools session=stdio count=19',
    'INFO  tool_call session=stdio tool=get_note duration_ms=N ok=true',
    'INFO  tool_call session=stdio tool=get_note duration_ms=N ok=false error=trilium status=404 code=NOTE_NOT_FOUND',
    'INFO  tool_call session=stdio tool=get_note duration_ms=N ok=false error=zod',
    'INFO  tool_call session=stdio tool=write_note duration_ms=N ok=false error=diff',
    'INFO  tool_call session=stdio tool=frobnicate duration_ms=N ok=false error=unknown_tool',
  ]);
  expect(stdout).not.toContain('tool_call');
});

test('the same as JSON, with ts, level and event first', async () => {
  const { env } = await connected({ LOG_FORMAT: 'JSON' });
  const { lines } = await run(CALLS, env);
  const records = lines.map((line) => JSON.parse(line));
  for (const record of records) expect(Object.keys(record).slice(0, 3)).toEqual(['ts', 'level', 'event']);
  expect(records[0]).toEqual({
    ts: expect.stringMatching(/Z$/),
    level: 'info',
    event: 'server_started',
    transport: 'stdio',
  });
  expect(Object.keys(records[3])).toEqual(
    'ts level event session tool duration_ms ok error status code'.split(' '),
  );
  expect(records[3]).toMatchObject({ session: 'stdio', ok: false, error: 'trilium', status: 404 });
  expect(records[3].duration_ms).toEqual(expect.any(Number));
});

test.each([
  ['silent', []],
  ['off', []],
  ['None', []],
  ['error', []],
  ['WARNING', []],
  ['info', ['server_started', 'tool_call']],
  ['trace', ['server_started', 'tool_call_args', 'tool_call']],
  ['verbose', ['server_started', 'tool_call_args', 'tool_call']],
])('LOG_LEVEL=%s writes %j', async (level, events) => {
  const { env } = await connected({ LOG_FORMAT: 'json' });
  const asked = [calling('get_note', { noteId: 'abcd' })];
  const eventsOf = (lines: readonly string[]) =>
    lines.map((line) => JSON.parse(line).event).filter((event) => event !== 'protocol');
  expect(eventsOf((await run(asked, { ...env, LOG_LEVEL: level })).lines)).toEqual(events);
  expect(eventsOf((await run(asked, env, ['--log-level', level])).lines)).toEqual(events);
});

test.each([
  [{ LOG_LEVEL: 'loud' }, /Unknown log level: loud\nUse debug, info, warn, error or silent\./],
  [{ LOG_FORMAT: 'xml' }, /Unknown log format: xml\nUse json or text\./],
])('%j is refused with the words there are', async (wrong, message) => {
  const { env } = await connected(wrong);
  const { code, stderr } = await run([], env);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(message);
});

test.each([
  ['no token', {}, /startup_failed err="Settings are missing: TRILIUM_TOKEN"/],
  ['no address', { TRILIUM_URL: 'ftp://x', TRILIUM_TOKEN: TOKEN }, /startup_failed err=".+"/],
])('a start that fails has a line of its own: %s', async (_, env, line) => {
  const { code, lines } = await run([], env);
  expect(code).not.toBe(0);
  expect(lines[0]).toMatch(/^\S+Z ERROR /);
  expect(lines[0]).toMatch(line);
  expect(lines[1]).toMatch(/^quire: /);
  expect((await run([], { ...env, LOG_LEVEL: 'silent' })).lines[0]).toMatch(/^quire: /);
});

const SECRET = 'zebrafish';
const SAID = [
  calling('create_note', {
    parentNoteId: 'abcd',
    title: 'T'.repeat(70),
    type: 'text',
    content: `<p>${SECRET} in a note</p>`,
    images: [{ data: Buffer.from(SECRET).toString('base64'), mime: 'image/png', filename: `${SECRET}.png` }],
  }),
  calling('write_note', { noteId: 'abcd', mode: 'append', content: SECRET }),
  calling('write_note', { noteId: 'abcd', mode: 'edit', patch: `@@ -1 +1 @@\n-x\n+${SECRET}\n` }),
  calling('write_note', {
    noteId: 'abcd',
    mode: 'edit',
    changes: [{ old_string: SECRET, new_string: `${SECRET}2` }],
  }),
  calling('set_attribute', { noteId: 'abcd', type: 'label', name: 'apiToken', value: SECRET }),
  calling('create_attachment', {
    ownerId: 'abcd',
    role: 'file',
    mime: 'text/plain',
    title: 't',
    content: SECRET,
  }),
  calling('manage_system', {
    action: 'import',
    noteId: 'abcd',
    data: Buffer.from(`PK${SECRET}`).toString('base64'),
  }),
  calling('get_note', {
    noteId: 'abcd',
    password: SECRET,
    api_key: SECRET,
    'X-Api-Key': SECRET,
    Authorization: `Bearer ${SECRET}`,
    clientSecret: SECRET,
    token: SECRET,
    html: SECRET,
    markdown: [SECRET],
    blob: { deep: SECRET },
    attachment: SECRET,
    body: SECRET,
  }),
  calling('search_notes', { query: 'one' }),
  calling('frobnicate', { text: SECRET, token: SECRET }),
];

test.each(['text', 'json'])('at debug, as %s, no secret and no text of a note is logged', async (format) => {
  const { fake, env } = await connected({ LOG_LEVEL: 'debug', LOG_FORMAT: format });
  const { stderr, lines } = await run(SAID, { ...env, TRILIUM_URL: `${fake.url}/etapi` });
  expect(stderr).not.toContain(SECRET);
  expect(stderr).not.toContain(Buffer.from(SECRET).toString('base64'));
  expect(stderr).not.toContain(TOKEN);
  expect(stderr).not.toContain('http://');
  expect(stderr).not.toContain('<p>one');
  expect(lines.filter((line) => line.includes('tool_call_args'))).toHaveLength(SAID.length);
  expect(lines.filter((line) => /\btool_call\b/.test(line))).toHaveLength(SAID.length);
});

test('messages that fit nothing are logged without their content', async () => {
  const { env } = await connected({ LOG_LEVEL: 'debug' });
  const stray = [
    { id: 99, result: { content: SECRET } },
    { method: 'notifications/progress', params: { progressToken: 7, progress: 1, message: SECRET } },
    { method: 'tools/call', params: { name: SECRET.length, arguments: SECRET } },
    { method: SECRET, params: { text: SECRET } },
  ];
  const child = spawn(process.execPath, [BINARY, 'trilium'], { env: { ...CLEAN_ENVIRONMENT, ...env } });
  onTestFinished(() => void child.kill());
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const lines = [{ id: 1, ...INITIALIZE }, ...stray, { id: 4, method: 'tools/list' }];
  child.stdin.end(
    lines
      .map((line, at) => `${JSON.stringify({ jsonrpc: '2.0', ...(at === 3 && { id: at }), ...line })}\n`)
      .join(''),
  );
  await once(child, 'close');
  expect(stderr).toContain('list_tools');
  expect(stderr).not.toContain(SECRET);
});

test('the shape of the arguments is logged', async () => {
  const { env } = await connected({ LOG_LEVEL: 'debug', LOG_FORMAT: 'json' });
  const { lines } = await run(SAID, env);
  const records = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'tool_call_args');
  const argsOf = (tool: string) => records.find((record) => record.tool === tool)?.args;
  expect(argsOf('create_note')).toEqual({
    parentNoteId: 'abcd',
    title: `${'T'.repeat(64)}…`,
    type: 'text',
    content: '<string len=26>',
    images: '<array len=1>',
  });
  expect(argsOf('set_attribute')).toEqual({ noteId: 'abcd', type: 'label', name: 'apiToken' });
  expect(argsOf('get_note')).toEqual({
    noteId: 'abcd',
    html: '<string len=9>',
    markdown: '<array len=1>',
    blob: '<object>',
    attachment: '<string len=9>',
    body: '<string len=9>',
  });
  expect(records.every(({ session, level }) => session === 'stdio' && level === 'debug')).toBe(true);
});

test('lines carry session and caller, and counts the kind of failure', async () => {
  const called: ToolCallRecord[] = [];
  const logged: [string, unknown][] = [];
  const { client, call } = await withTrilium(NOTES, {
    session: 'a1b2',
    principal: { id: 'user:anna', kind: 'jwt', scopes: [] },
    onCalled: (one) => called.push(one),
    log: (_, message, fields) => logged.push([message, fields]),
  });
  await client.listTools();
  await call('get_note', { noteId: 'none1' });
  await call('get_note', {});
  await call('frobnicate');
  expect(called.map(({ error, tool }) => [tool, classOf(error)])).toEqual([
    ['get_note', 'trilium'],
    ['get_note', 'zod'],
    ['frobnicate', 'unknown_tool'],
  ]);
  for (const { line } of called)
    expect(line?.fields).toMatchObject({ session: 'a1b2', principal: 'user:anna' });
  expect(logged).toContainEqual(['list_tools', { session: 'a1b2', count: 19, principal: 'user:anna' }]);
  const args = { session: 'a1b2', tool: 'get_note', args: { noteId: 'none1' }, principal: 'user:anna' };
  expect(logged).toContainEqual(['tool_call_args', args]);
});

test('the kinds of failure are what is counted', async () => {
  const metrics = createMetrics({
    version: '1',
    names: TRILIUM_NAMES,
    routes: [],
    tools: ['get_note', 'write_note'],
    sessions: () => 0,
  });
  const { call, fake } = await withTrilium(NOTES, {
    onCalled: (one) => metrics.called({ ...one, errorKind: classOf(one.error) }),
  });
  const edit = { noteId: 'abcd', mode: 'edit', changes: [{ old_string: 'nowhere', new_string: 'x' }] };
  await call('get_note', { noteId: 'abcd' });
  await call('get_note', { noteId: 'none1' });
  await call('get_note', {});
  await call('write_note', edit);
  await call('frobnicate');
  fake.faults.fate = () => ({ kind: 'reset', applies: false });
  await call('get_note', { noteId: 'abcd' });
  const counted = (await metrics.text()).split('\n').filter((line) => line.includes('tool_calls_total{'));
  expect(counted.map((line) => /\{(.+)\} (\d+)/.exec(line)?.slice(1).join(' '))).toEqual([
    'tool="get_note",ok="true",error="none" 1',
    'tool="get_note",ok="false",error="trilium" 2',
    'tool="get_note",ok="false",error="zod" 1',
    'tool="write_note",ok="false",error="diff" 1',
    'tool="unknown",ok="false",error="unknown_tool" 1',
  ]);
});

test('a cancelled call has its line too', async () => {
  const called: ToolCallRecord[] = [];
  const { client, fake } = await withTrilium(NOTES, { onCalled: (one) => called.push(one) });
  fake.faults.latencyMs = () => 3_000;
  const leaving = new AbortController();
  const pending = client
    .callTool({ name: 'get_note', arguments: { noteId: 'abcd' } }, { signal: leaving.signal })
    .catch(() => {});
  await expect.poll(() => fake.requests.length, { timeout: 40_000 }).toBeGreaterThan(0);
  leaving.abort();
  await pending;
  await expect.poll(() => called.length, { timeout: 40_000 }).toBe(1);
  expect(called[0]).toMatchObject({
    outcome: 'cancelled',
    line: { fields: { ok: false, error: 'unknown' } },
  });
});
