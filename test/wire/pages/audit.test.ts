/** The operator's lines: `[WRITE]` for every change, `[ERROR]` for every failure, nothing of what pages say. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ToolCallRecord } from '../../../src/mcp/tool.ts';
import { createLog } from '../../../src/shared/log.ts';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import { connectHttp, startHttp } from '../../kit/http.ts';
import { withPagesOver } from '../../kit/server.ts';
import { putFile, temporaryFolder } from '../../kit/temp.ts';
import { callTool, initialize, startRaw } from '../notebook/raw-client.ts';

const SECRET = 'what the page says';

/** Makes the calls and gives the lines they leave, in both forms. */
async function linesOf(seed: Record<string, string>, calls: [string, Record<string, unknown>][]) {
  const text: string[] = [];
  const json: Record<string, unknown>[] = [];
  const asText = createLog('info', (line) => text.push(line.replace(/^\S+ /, '')), { format: 'text' });
  const asJson = createLog('info', (line) => json.push(JSON.parse(line)), { format: 'json' });
  const onCalled = ({ line }: ToolCallRecord) => {
    if (!line) return;
    asText(line.level, line.message, line.fields);
    asJson(line.level, line.message, line.fields);
  };
  const { call } = await withPagesOver(openMemoryStore(seed), {
    onCalled,
    now: () => Date.UTC(2026, 10, 15),
  });
  for (const [tool, args] of calls) {
    const marker = args.expected_last_modified;
    const read = marker === 'read' && (await call('read_page', { page: args.page })).json.lastModified;
    await call(tool, read ? { ...args, expected_last_modified: read } : args);
  }
  return { text, json };
}

test('every change leaves a line in the documented form', async () => {
  const { text, json } = await linesOf({ 'a.md': 'old' }, [
    ['create_page', { page: 'b/c', body: SECRET }],
    ['write_page', { page: 'a', body: SECRET, expected_last_modified: 'read' }],
    ['append_to_page', { page: 'a', content: SECRET }],
    ['append_to_page', { page: 'a', content: SECRET }],
    ['prepend_to_page', { page: 'a', content: SECRET }],
    ['move_page', { from: 'a', to: 'd' }],
    ['delete_page', { page: 'd' }],
  ]);
  const shapes = [
    /^INFO {2}\[WRITE\] tool=create_page page=b\/c\.md bytes=18 last_modified=\d+\n$/,
    /^INFO {2}\[WRITE\] tool=write_page page=a\.md bytes=18 expected_last_modified=\d+ last_modified=\d+\n$/,
    /^INFO {2}\[WRITE\] tool=append_to_page page=a\.md bytes_added=18\n$/,
    /^INFO {2}\[WRITE\] tool=append_to_page page=a\.md bytes_added=0 deduplicated=true\n$/,
    /^INFO {2}\[WRITE\] tool=prepend_to_page page=a\.md bytes_added=18 position=after_frontmatter\n$/,
    /^INFO {2}\[WRITE\] tool=move_page page=a\.md to=d\.md\n$/,
    /^INFO {2}\[WRITE\] tool=delete_page page=d\.md trash_path=_trash\/2026-11\/d\.md\n$/,
  ];
  expect(text).toHaveLength(shapes.length);
  for (const [at, shape] of shapes.entries()) expect(text[at]).toMatch(shape);
  expect(json[1]).toMatchObject({
    message: '[WRITE]',
    tool: 'write_page',
    page: 'a.md',
    expected_last_modified: expect.any(Number),
    last_modified: expect.any(Number),
  });
  expect(JSON.stringify([text, json])).not.toContain(SECRET);
});

test('reads leave none', async () => {
  const { text } = await linesOf({ 'a.md': 'needle' }, [
    ['list_pages', {}],
    ['read_page', { page: 'a' }],
    ['search_pages', { query: 'needle' }],
  ]);
  expect(text).toEqual([]);
});

test('every failure leaves a line with its code, of reads and unknown tools too', async () => {
  const { text, json } = await linesOf({ 'a.md': 'old' }, [
    ['read_page', { page: 'nope' }],
    ['read_page', {}],
    ['create_page', { page: 'a', body: SECRET }],
    ['create_page', { page: '../x', body: SECRET }],
    ['create_page', { page: '_trash/x', body: SECRET }],
    ['create_page', { page: 'big', body: 'x'.repeat(300_000) }],
    ['write_page', { page: 'a', body: SECRET, expected_last_modified: 1 }],
    ['move_page', { from: 'nope', to: 'x' }],
    ['search_pages', { query: '' }],
    ['no_such_tool', { page: 'a' }],
  ]);
  expect(text).toEqual([
    'WARN  [ERROR] tool=read_page code=not_found page=nope\n',
    'WARN  [ERROR] tool=read_page code=invalid_path page=-\n',
    'WARN  [ERROR] tool=create_page code=already_exists page=a\n',
    'WARN  [ERROR] tool=create_page code=invalid_path page=../x\n',
    'WARN  [ERROR] tool=create_page code=forbidden_path page=_trash/x\n',
    'WARN  [ERROR] tool=create_page code=too_large page=big\n',
    'WARN  [ERROR] tool=write_page code=conflict page=a\n',
    'WARN  [ERROR] tool=move_page code=not_found page=nope\n',
    'WARN  [ERROR] tool=search_pages code=invalid_arguments page=-\n',
    'WARN  [ERROR] tool=no_such_tool code=not_found page=a\n',
  ]);
  expect(json[0]).toMatchObject({ message: '[ERROR]', tool: 'read_page', code: 'not_found', page: 'nope' });
  expect(JSON.stringify([text, json])).not.toContain(SECRET);
});

test('a name cannot forge a line, nor flood the log', async () => {
  const forged = 'x\n2026 INFO [WRITE] tool=delete_page page=everything\u2028\u009b2J';
  const { text } = await linesOf({}, [
    ['read_page', { page: forged }],
    ['no_such\ntool', {}],
    ['create_page', { page: 'a "quoted" name', body: '' }],
    ['read_page', { page: 'n'.repeat(100_000) }],
  ]);
  expect(text).toHaveLength(4);
  for (const line of text) {
    expect(line.slice(0, -1)).toMatch(/^[\x20-\x7e]+$/);
    expect(line.length).toBeLessThan(400);
  }
  expect(text[0]).toContain('page="x\\n2026 INFO [WRITE]');
  expect(text[2]).toContain('page="a \\"quoted\\" name.md"');
});

test('the binary tells them on stderr, as text and as JSON', async () => {
  const folder = await temporaryFolder({ 'notes/a.md': 'old' });
  await putFile(folder, 'q.yaml', 'notebooks:\n  space: { folder: notes, tools: pages }\n');
  for (const format of ['text', 'json']) {
    const client = startRaw([
      '--config',
      join(folder, 'q.yaml'),
      '--log-level',
      'info',
      '--log-format',
      format,
    ]);
    await initialize(client);
    await callTool(client, 'append_to_page', { page: 'a', content: `${SECRET} ${format}` });
    await callTool(client, 'read_page', { page: 'nope' });
    await client.end();
    const lines = client
      .stderr()
      .split('\n')
      .filter((line) => line.includes('tool'));
    expect(lines).toHaveLength(2);
    if (format === 'text') {
      expect(lines[0]).toMatch(
        / INFO {2}\[WRITE\] tool=append_to_page page=a\.md bytes_added=23 change=[0-9a-z]{16}$/,
      );
      expect(lines[1]).toMatch(/ WARN {2}\[ERROR\] tool=read_page code=not_found page=nope$/);
    } else
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { message: '[WRITE]' },
        { message: '[ERROR]' },
      ]);
    expect(client.stderr()).not.toContain(SECRET);
  }
  expect(await readFile(join(folder, 'notes/a.md'), 'utf8')).toContain(SECRET);
});

test('over HTTP the line names the caller, and takes the place of the usual one', async () => {
  const folder = await temporaryFolder({ 'notes/a.md': 'old' });
  await putFile(
    folder,
    'q.yaml',
    'notebooks:\n  space: { folder: notes, tools: pages }\nserve: { port: 0 }\nauth: { mode: bearer, tokens: [0123456789abcdef] }\n',
  );
  const server = await startHttp(['serve', '--config', join(folder, 'q.yaml')]);
  const client = await connectHttp(server.origin, { token: '0123456789abcdef' });
  await client.callTool({ name: 'create_page', arguments: { page: 'b', body: SECRET } });
  const failure = await client.callTool({ name: 'create_page', arguments: { page: 'a', body: SECRET } });
  expect(failure.isError).toBeUndefined();
  await server.stop();
  const lines = server.log().filter(({ tool }) => tool !== undefined);
  expect(lines).toMatchObject([
    { message: '[WRITE]', tool: 'create_page', page: 'b.md', bytes: 18, principal: expect.any(String) },
    {
      message: '[ERROR]',
      tool: 'create_page',
      code: 'already_exists',
      page: 'a',
      principal: expect.any(String),
    },
  ]);
  expect(server.log().some(({ message }) => message === 'audit')).toBe(false);
  expect(server.rawLog()).not.toContain(SECRET);
  expect(server.rawLog()).not.toContain('0123456789abcdef');
});
