/** Clients of 2026-07-28: no handshake, everything in each request's envelope. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { answerJson, startBinary } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';
import { initialize, type RawClient, startRaw } from './raw-client.ts';

const VERSION = '2026-07-28';
const SEED = { 'a.md': 'hello\n' };

function envelope(version = VERSION): { _meta: Record<string, unknown> } {
  return {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    },
  };
}
const modern = (client: RawClient, method: string, params: object = {}) =>
  client.request(method, { ...envelope(), ...params });

test('server/discover names the revision, the capabilities and the instructions', async () => {
  const client = startRaw([await temporaryFolder(SEED)]);
  const { result } = await modern(client, 'server/discover');
  expect(result.supportedVersions).toContain(VERSION);
  expect(result.capabilities).toMatchObject({ tools: {}, resources: {}, completions: {} });
  expect(result.instructions).toContain('search_notes');
  expect(result).toMatchObject({ resultType: 'complete', cacheScope: 'private' });
  expect(result._meta['io.modelcontextprotocol/serverInfo']).toMatchObject({ name: 'quire' });
});

test('tools are listed and called without a handshake', async () => {
  const client = startRaw([await temporaryFolder(SEED)]);
  const list = await modern(client, 'tools/list');
  expect(list.result.tools).toHaveLength(TOOL_COUNT.notebook);
  expect(list.result.ttlMs).toBeGreaterThan(0);
  expect(list.result.cacheScope).toBe('private');
  const { result } = await modern(client, 'tools/call', { name: 'read_note', arguments: { path: 'a.md' } });
  expect(result.resultType).toBe('complete');
  expect(answerJson(result)).toEqual({ fm: {}, content: 'hello\n' });
  const failed = await modern(client, 'tools/call', { name: 'read_note', arguments: { path: 'no.md' } });
  expect(failed.result).toMatchObject({ isError: true, resultType: 'complete' });
  expect(failed.result.content[0].text).toMatch(/^Error: File not found: no\.md/);
});

test('resources are listed and read the same way', async () => {
  const client = startRaw([await temporaryFolder(SEED)]);
  const list = await modern(client, 'resources/list');
  expect(list.result.resources).toMatchObject([{ uri: 'note:///a.md' }]);
  expect(list.result).toHaveProperty('ttlMs');
  const read = await modern(client, 'resources/read', { uri: 'note:///a.md' });
  expect(read.result.contents).toEqual([{ uri: 'note:///a.md', mimeType: 'text/markdown', text: 'hello\n' }]);
  const missing = await modern(client, 'resources/read', { uri: 'note:///no.md' });
  expect(missing.error).toMatchObject({ code: -32602, data: { uri: 'note:///no.md' } });
});

test('a handshake may follow server/discover in the same process', async () => {
  const client = startRaw([await temporaryFolder(SEED)]);
  await modern(client, 'server/discover');
  expect((await initialize(client)).result.protocolVersion).toBe('2025-11-25');
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const { result } = await client.request('tools/call', { name: 'read_note', arguments: { path: 'a.md' } });
  expect(answerJson(result).content).toBe('hello\n');
});

test('another revision, or an envelope that is not whole, is refused', async () => {
  const client = startRaw([await temporaryFolder(SEED)]);
  const { error } = await client.request('tools/list', envelope('2027-01-01'));
  expect(error).toMatchObject({ code: -32022, data: { supported: [VERSION] } });
  const partial = await client.request('tools/list', {
    _meta: { 'io.modelcontextprotocol/protocolVersion': VERSION },
  });
  expect(partial.error.code).toBe(-32602);
  expect((await modern(client, 'tools/list')).result.tools).toHaveLength(TOOL_COUNT.notebook);
});

/** Loaded before the binary: a timer of five seconds or more never fires, so that code that waits for one waits for ever. */
const NO_LONG_TIMERS = `
const timers = require('node:timers');
const promises = require('node:timers/promises');
const never = (ms) => (ms >= 5_000 ? 2 ** 31 - 1 : ms);
const { setTimeout: start } = globalThis;
const { setTimeout: sleep } = promises;
globalThis.setTimeout = timers.setTimeout = (work, ms, ...rest) => start(work, never(ms), ...rest);
promises.setTimeout = (ms, ...rest) => sleep(never(ms), ...rest);
`;

test('a process with an open subscription leaves at once when stdin closes', async () => {
  const folder = await temporaryFolder(SEED);
  const preload = await temporaryFolder({ 'no-long-timers.cjs': NO_LONG_TIMERS });
  const client = startRaw([folder], {
    env: { NODE_OPTIONS: `--require ${join(preload, 'no-long-timers.cjs')}` },
  });
  client.send({
    jsonrpc: '2.0',
    id: 'listening',
    method: 'subscriptions/listen',
    params: { ...envelope(), notifications: { resourcesListChanged: true } },
  });
  await client.wait((message) => message.method === 'notifications/subscriptions/acknowledged');
  // A watch that has just begun may take the first of them for what was there before.
  const hasHeard = () => client.lines.some((line) => line.includes('notifications/resources/list_changed'));
  for (let made = 0; made < 200 && !hasHeard(); made++) {
    await writeFile(join(folder, `new-${made}.md`), '');
    await sleep(40);
  }
  expect(hasHeard()).toBe(true);
  // A process that does not exit by itself, or only after a while, blocks the test until it fails.
  expect((await client.end()).code).toBe(0);
  expect(client.lines.map((line) => JSON.parse(line).jsonrpc)).toEqual(client.lines.map(() => '2.0'));
});

test('what was asked before stdin closed is answered all the same, subscription or not', async () => {
  const client = startRaw([await temporaryFolder(SEED)]);
  const listen = { ...envelope(), notifications: { resourcesListChanged: true } };
  client.send({ jsonrpc: '2.0', id: 'listening', method: 'subscriptions/listen', params: listen });
  const reading = { ...envelope(), name: 'read_note', arguments: { path: 'a.md' } };
  client.send({ jsonrpc: '2.0', id: 'reading', method: 'tools/call', params: reading });
  expect((await client.end()).code).toBe(0);
  const answers = client.lines.map((line) => JSON.parse(line)).filter(({ id }) => id === 'reading');
  expect(answers.map((answer) => answerJson(answer.result).content)).toEqual(['hello\n']);
});

test('a client that negotiates picks the newest revision and gets the same answers', async () => {
  const folder = await temporaryFolder(SEED);
  const newest = await startBinary(folder, [], { mode: 'auto' });
  const older = await startBinary(folder, [], { mode: 'legacy' });
  expect(newest.client.getProtocolEra()).toBe('modern');
  expect(older.client.getProtocolEra()).toBe('legacy');
  expect((await newest.client.listTools()).tools).toEqual((await older.client.listTools()).tools);
  expect((await newest.call('read_note', { path: 'a.md' })).json).toEqual(
    (await older.call('read_note', { path: 'a.md' })).json,
  );
});
