/** `tools: pages` in a configuration file: over stdio, over HTTP, alone and beside other notebooks. */
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { connectHttp, startHttp } from '../../kit/http.ts';
import { startProgram } from '../../kit/server.ts';
import { fileText, putFile, temporaryFolder } from '../../kit/temp.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';
import { expectCode, expectOk } from './support.ts';

async function configured(yaml: string): Promise<{ folder: string; file: string }> {
  const folder = await temporaryFolder({ 'notes/a.md': 'text\n' });
  await putFile(folder, 'quire.yaml', yaml);
  return { folder, file: join(folder, 'quire.yaml') };
}

const toolNames = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

test('nine tools, or nineteen with extended, and the history tools', async () => {
  const { file } = await configured(
    'notebooks:\n  s: { folder: notes, tools: pages }\n  x: { folder: notes, tools: pages, extended: true }\n',
  );
  const plain = await startProgram(['--config', file, '--notebook', 's']);
  expect(await toolNames(plain.client)).toHaveLength(TOOL_COUNT.pages + TOOL_COUNT.history);
  const extended = await startProgram(['--config', file, '--notebook', 'x']);
  expect(await toolNames(extended.client)).toHaveLength(TOOL_COUNT.pagesExtended + TOOL_COUNT.history);
  expectCode(await plain.call('edit_page', { page: 'a', edits: [] }), 'not_found');
});

test('writable limits what may be changed', async () => {
  const { file, folder } = await configured(
    'notebooks:\n  s: { folder: notes, tools: pages, writable: [Journal] }\n',
  );
  const { call } = await startProgram(['--config', file]);
  expectCode(await call('append_to_page', { page: 'a', content: 'x' }), 'forbidden_path');
  expectOk(await call('create_page', { page: 'Journal/today', body: 'x' }));
  expect(await fileText(folder, 'notes/a.md')).toBe('text\n');
});

test('over HTTP, both eras: the handshake holds from one request to the next', async () => {
  const { file } = await configured('notebooks:\n  s: { folder: notes, tools: pages }\nserve: { port: 0 }\n');
  const server = await startHttp(['serve', '--config', file]);
  for (const mode of ['legacy', 'auto'] as const) {
    const client = await connectHttp(server.origin, { mode });
    const read = await client.callTool({ name: 'read_page', arguments: { page: 'a' } });
    const { lastModified } = JSON.parse((read.content[0] as { text: string }).text);
    const args = { page: 'a', body: `by ${mode}`, expected_last_modified: lastModified };
    const written = await client.callTool({ name: 'write_page', arguments: args });
    expect(JSON.parse((written.content[0] as { text: string }).text)).toMatchObject({ written: true });
    const again = await client.callTool({ name: 'write_page', arguments: { ...args, body: 'stale' } });
    expect(again.isError).toBeUndefined();
    expect(JSON.parse((again.content[0] as { text: string }).text)).toMatchObject({ error: 'conflict' });
  }
  expect(await server.stop()).toBe(0);
});

test('beside another notebook each keeps its own way of failing', async () => {
  const { file } = await configured(
    'notebooks:\n  n: { folder: notes, readOnly: true }\n  s: { folder: notes, tools: pages, readOnly: true }\nserve: { port: 0 }\n',
  );
  const server = await startHttp(['serve', '--config', file]);
  const client = await connectHttp(server.origin);
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
  expect((await call('n_read_note', { path: 'nope.md' })).isError).toBe(true);
  expect((await call('n_write_note', { path: 'x.md', content: '' })).isError).toBe(true);
  for (const [name, code] of [
    ['s_read_page', 'not_found'],
    ['s_create_page', 'forbidden_path'],
    ['s_no_such_tool', 'not_found'],
  ] as const) {
    const answer = await call(name, { page: 'nope' });
    expect(answer.isError, name).toBeUndefined();
    expect(JSON.parse((answer.content[0] as { text: string }).text)).toMatchObject({ error: code });
  }
  await expect(call('n_no_such_tool', {})).rejects.toMatchObject({ code: -32602 });
});
