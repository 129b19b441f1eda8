/** The built binary in raw lines: revisions, answers, and what a well-behaved client would never send. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { budgetOf, pinnedNames } from '../../kit/pinned-tools.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';
import { callTool, initialize, type RawClient, startRaw } from './raw-client.ts';

const SEED = { 'a.md': '---\nt: 1\n---\nhello\n', 'b.md': 'b\n' };

async function legacy(folder: string, version = '2025-11-25'): Promise<RawClient> {
  const client = startRaw([folder]);
  await initialize(client, version);
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return client;
}

function expectOnlyJsonRpc(client: RawClient): void {
  expect(client.lines.length).toBeGreaterThan(0);
  for (const line of client.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
}

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'a client of %s is served in it',
  async (version) => {
    const client = startRaw([await temporaryFolder(SEED)]);
    const { result } = await initialize(client, version);
    expect(result.protocolVersion).toBe(version);
    expect(result.instructions).toContain('search_notes');
    expect(result.serverInfo).toMatchObject({ name: 'quire' });
    expect(result.capabilities).toMatchObject({
      tools: {},
      resources: { subscribe: true, listChanged: true },
    });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect((await client.request('tools/list')).result.tools).toHaveLength(TOOL_COUNT.notebook);
    const read = await callTool(client, 'read_note', { path: 'a.md' });
    expect(JSON.parse(read.result.content[0].text)).toEqual({ fm: { t: 1 }, content: 'hello\n' });
    expect((await client.request('ping')).result).toEqual({});
    expect((await client.end()).code).toBe(0);
    expectOnlyJsonRpc(client);
  },
);

test('a client of an unknown revision is offered one that is known', async () => {
  const client = startRaw([await temporaryFolder(SEED)]);
  expect((await initialize(client, '1999-01-01')).result.protocolVersion).toBe('2025-11-25');
});

test('tools/list on the wire is within its byte budget and has the annotations of each tool', async () => {
  const client = await legacy(await temporaryFolder(SEED));
  const { result, id } = await client.request('tools/list');
  const line = client.lines.find((text) => text.includes(`"${id}"`)) ?? '';
  expect(Buffer.byteLength(line)).toBeGreaterThan(5_000);
  expect(Buffer.byteLength(line)).toBeLessThan(budgetOf('notebook'));
  const hints = Object.fromEntries(
    result.tools.map(({ name, annotations }: { name: string; annotations: Record<string, boolean> }) => [
      name,
      `${annotations.readOnlyHint ? 'reads' : annotations.destructiveHint ? 'destroys' : 'writes'}${annotations.openWorldHint === false ? '' : ', open'}`,
    ]),
  );
  expect(Object.keys(hints)).toEqual(pinnedNames('notebook'));
  expect(hints).toMatchObject({
    read_note: 'reads',
    write_note: 'destroys',
    patch_note: 'writes',
    delete_note: 'destroys',
    move_note: 'destroys',
    list_directory: 'reads',
    search_notes: 'reads',
    read_multiple_notes: 'reads',
    get_frontmatter: 'reads',
    update_frontmatter: 'writes',
    get_notes_info: 'reads',
    manage_tags: 'writes',
  });
});

test('a line that is not JSON is answered with a parse error and the server lives', async () => {
  const client = await legacy(await temporaryFolder(SEED));
  const lines = ['hello there', '{"jsonrpc":"2.0","id":1,', '[info] starting', '\u0000\u0001\ufffd', '{}{}'];
  for (const line of lines) {
    const before = client.lines.length;
    client.send(line);
    expect((await callTool(client, 'read_note', { path: 'b.md' })).result.isError, line).not.toBe(true);
    const answers = client.lines.slice(before).map((text) => JSON.parse(text));
    expect(answers[0], line).toMatchObject({ id: null, error: { code: -32700 } });
    expect(answers).toHaveLength(2);
  }
  expectOnlyJsonRpc(client);
});

test('JSON that is no request is answered as such, with its id if it has one', async () => {
  const client = await legacy(await temporaryFolder(SEED));
  const lines: [string, unknown][] = [
    ['[]', null],
    ['[{"jsonrpc":"2.0","id":4,"method":"ping"}]', null],
    ['"x"', null],
    ['null', null],
    ['{"jsonrpc":"2.0","id":4}', 4],
    ['{"jsonrpc":"1.0","id":4,"method":"ping"}', 4],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null],
    ['{"jsonrpc":"2.0","id":"five","method":7}', 'five'],
  ];
  for (const [line, id] of lines) {
    const before = client.lines.length;
    client.send(line);
    expect((await client.request('ping')).result, line).toEqual({});
    const answers = client.lines.slice(before).map((text) => JSON.parse(text));
    expect(answers[0], line).toMatchObject({ id, error: { code: -32600 } });
    expect(answers).toHaveLength(2);
  }
});

test('blank lines, CRLF, unknown notifications and unrequested answers are ignored', async () => {
  const client = await legacy(await temporaryFolder(SEED));
  const before = client.lines.length;
  for (const line of ['', '  ', '\r'] as const) client.send(line);
  client.send({ jsonrpc: '2.0', method: 'notifications/unheard_of' });
  client.send({ jsonrpc: '2.0', id: 'nobody', result: {} });
  client.send(`${JSON.stringify({ jsonrpc: '2.0', id: 'crlf', method: 'ping' })}\r`);
  expect((await client.wait((message) => message.id === 'crlf')).result).toEqual({});
  expect(client.lines).toHaveLength(before + 1);
});

test('an unknown method is refused by code, an unknown tool by name', async () => {
  const client = await legacy(await temporaryFolder(SEED));
  expect((await client.request('no/such')).error.code).toBe(-32601);
  const { error } = await callTool(client, 'reed_note', {});
  expect(error.code).toBe(-32602);
  expect(error.message).toContain('Did you mean read_note?');
  expect((await client.request('tools/call', {})).error.code).toBe(-32602);
});

test('two messages that arrive in one piece are both answered', async () => {
  const client = await legacy(await temporaryFolder(SEED));
  const text = (id: string) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', params: { _meta: { x: 'é😀' } } });
  client.send(`${text('one')}\n${text('two')}`);
  await client.wait((message) => message.id === 'one');
  await client.wait((message) => message.id === 'two');
});

test('requests still running when stdin closes are answered, then the process leaves at once', async () => {
  const notes = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`n${i}.md`, `word ${i}\n`]));
  const client = await legacy(await temporaryFolder({ ...SEED, ...notes }));
  const ids = ['q1', 'q2', 'q3', 'q4'];
  for (const id of ids)
    client.send({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'search_notes', arguments: { query: 'word' } },
    });
  client.send({
    jsonrpc: '2.0',
    id: 'w',
    method: 'tools/call',
    params: { name: 'write_note', arguments: { path: 'new.md', content: 'x' } },
  });
  // A process that does not exit by itself blocks the test until it fails.
  expect((await client.end()).code).toBe(0);
  for (const id of [...ids, 'w'])
    expect((await client.wait((message) => message.id === id)).result.isError).not.toBe(true);
  expectOnlyJsonRpc(client);
});

test('an idle process leaves at once when stdin closes', async () => {
  const client = await legacy(await temporaryFolder(SEED));
  await sleep(500);
  expect((await client.end()).code).toBe(0);
});
