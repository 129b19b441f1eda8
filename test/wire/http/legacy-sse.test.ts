import { Client, SSEClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { post, startHttp } from '../../kit/http.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';

async function serve(flags: readonly string[], env: Record<string, string> = {}) {
  const folder = await temporaryFolder({ 'a.md': 'alpha' });
  return startHttp(['serve', folder, '--port', '0', ...flags], env);
}

test('old clients find /sse and /message when the switch is on', async () => {
  const { origin } = await serve(['--legacy-sse']);
  const client = new Client({ name: 'old', version: '1' });
  await client.connect(new SSEClientTransport(new URL('/sse', origin)));
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT.notebook + TOOL_COUNT.history);
  const read = await client.callTool({ name: 'read_note', arguments: { path: 'a.md' } });
  expect(read.isError).toBeFalsy();
});

test('they are not there otherwise', async () => {
  const { origin } = await serve([]);
  expect((await fetch(`${origin}/sse`)).status).toBe(404);
  expect((await post(origin, {}, {}, '/message')).status).toBe(404);
});

test('a stream belongs to the client that opened it, and needs a token like every request', async () => {
  const tokens = { QUIRE_AUTH_TOKENS: 'first-token-long-enough,second-token-long-enough' };
  const { origin } = await serve(['--legacy-sse', '--auth', 'bearer'], tokens);
  expect((await fetch(`${origin}/sse`)).status).toBe(401);
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const stream = await fetch(`${origin}/sse`, {
    headers: { Authorization: 'Bearer first-token-long-enough' },
    signal: ending.signal,
  });
  const first = new TextDecoder().decode((await stream.body?.getReader().read())?.value);
  const endpoint = /data: (\S+)/.exec(first)?.[1] ?? '';
  expect(endpoint).toMatch(/^\/message\?sessionId=/);
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const as = (token: string) => post(origin, ping, { Authorization: `Bearer ${token}` }, endpoint);
  expect((await as('second-token-long-enough')).status).toBe(404);
  expect((await as('first-token-long-enough')).status).toBe(202);
});
