/** The second brain at an address of its own: as `sb serve` 2025-11-25 to the letter, over real sockets. */
import { symlink } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  abortable,
  eventsOf,
  type Message,
  messagesOf,
  nextEvent,
  openSession,
  type WireSession,
} from '../../conformance/wire.ts';
import { connectHttp, INITIALIZE, post, startHttp } from '../../kit/http.ts';
import { neverAnswers, startOpenAi } from '../../kit/openai-server.ts';
import { answerJson, BINARY } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';
import { expectRecalled, NOTES } from './support.ts';

const TOKEN = 'a-token-of-sixteen-letters';

async function serveBrain(flags: readonly string[] = [], env: Record<string, string> = {}) {
  const folder = await temporaryFolder(NOTES);
  const sb = join(await temporaryFolder(), 'sb');
  await symlink(BINARY, sb);
  const args = ['serve', folder, '--port', '0', '--embeddings', 'off', ...flags];
  const server = await startHttp(args, env, sb);
  return { ...server, folder, url: `${server.origin}/mcp` };
}

async function ask(session: WireSession, method: string, params: object = {}): Promise<Message> {
  const [answer] = await messagesOf(await session.send({ id: 7, method, params }));
  return answer;
}

/** A request whose headers are sent as given. */
function rawStatus(url: string, headers: Record<string, string>, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: body === undefined ? 'GET' : 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('quire brain --transport http', () => {
  it('speaks to clients of every version', async () => {
    const folder = await temporaryFolder(NOTES);
    const args = ['brain', folder, '--transport', 'http', '--port', '0', '--embeddings', 'off'];
    const { origin } = await startHttp(args);
    for (const protocolVersion of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      const body = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion } };
      const [{ result }] = await messagesOf(await post(origin, body));
      expect(result.protocolVersion).toBe(protocolVersion);
    }
    const client = await connectHttp(origin);
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect((await client.listTools()).tools).toHaveLength(TOOL_COUNT.brain);
  });
});

describe('a session', () => {
  it('gets exactly the capabilities there are', async () => {
    const server = await serveBrain();
    const opened = await post(server.origin, INITIALIZE);
    const [{ result }] = await messagesOf(opened);
    expect(result.protocolVersion).toBe('2025-11-25');
    expect(result.capabilities).toEqual({
      logging: {},
      completions: {},
      prompts: { listChanged: true },
      resources: { listChanged: true },
      tools: { listChanged: true },
    });
  });

  it('has every tool, and the plain search', async () => {
    const session = await openSession(await serveBrain());
    const { result } = await ask(session, 'tools/list');
    const names = result.tools.map(({ name }: Message) => name);
    expect(names).toHaveLength(TOOL_COUNT.brain);
    expect(names).toContain('search_local_context');
    const found = await ask(session, 'tools/call', {
      name: 'search_local_context',
      arguments: { query: 'steel cable', limit: 3 },
    });
    const { results } = answerJson(found.result);
    expect(results.length).toBeGreaterThan(0);
    for (const result of results) expectRecalled(result);
  });

  it.each([
    ['resources/read', { uri: 'secondbrain://nope' }, -32002, { uri: 'secondbrain://nope' }],
    ['resources/read', { uri: 'secondbrain://context/search' }, -32602, undefined],
    ['resources/subscribe', { uri: 'secondbrain://context/help' }, -32601, undefined],
    ['prompts/get', { name: 'nope' }, -32602, undefined],
    ['prompts/get', {}, -32602, undefined],
    ['tools/call', { name: 'nope' }, -32602, undefined],
    ['logging/setLevel', { level: 'loud' }, -32602, undefined],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'x' } }, -32602, undefined],
    ['no/such', {}, -32601, undefined],
  ])('answers %s %o with the right code', async (method, params, code, data) => {
    const session = await openSession(await serveBrain());
    const { error } = await ask(session, method, params);
    expect([error.code, error.data]).toEqual([code, data]);
    expect(error.message.length).toBeLessThan(700);
  });

  it('hears of its readiness, and of the level it chose', async () => {
    const session = await openSession(await serveBrain());
    const first = abortable();
    const events = eventsOf(await session.listen(undefined, first.signal));
    expect(await nextEvent(events)).toEqual({ id: 'g1.0', retry: '3000' });
    const ready = await nextEvent(events);
    expect([ready.id, ready.message.params.data]).toEqual([
      'g1.1',
      { event: 'session_ready', protocolVersion: '2025-11-25' },
    ]);
    await ask(session, 'logging/setLevel', { level: 'alert' });
    expect((await nextEvent(events)).message).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'alert', logger: 'session', data: { event: 'level_changed', level: 'alert' } },
    });
    const taken = eventsOf(await session.listen('g1.1'));
    expect((await nextEvent(taken)).id).toBe('g1.2');
  });

  it('gives up a call that waits for a model', async () => {
    const model = await startOpenAi(neverAnswers);
    const server = await serveBrain(['--llm-url', model.baseUrl, '--llm-model', 'm']);
    const session = await openSession(server);
    const call = { name: 'sb_ask', arguments: { question: 'How much does the harbour crane lift?' } };
    const waiting = session.send({ id: 'slow', method: 'tools/call', params: call });
    await expect.poll(() => model.asked.length, { timeout: 40_000 }).toBe(1);
    await session.send({ method: 'notifications/cancelled', params: { requestId: 'slow', reason: 'late' } });
    expect(await messagesOf(await waiting)).toEqual([
      {
        jsonrpc: '2.0',
        id: 'slow',
        error: { code: -32800, message: 'Request cancelled', data: { reason: 'late' } },
      },
    ]);
    expect((await ask(session, 'ping')).result).toEqual({});
  });

  it('is found by clients of today and of tomorrow', async () => {
    const { origin } = await serveBrain();
    for (const mode of ['legacy', 'auto'] as const) {
      const client = await connectHttp(origin, { mode });
      expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
      const found = await client.callTool({
        name: 'sb_recall',
        arguments: { query: 'crane' },
      });
      expect(answerJson(found)).toMatchObject({ mode_used: 'keyword' });
    }
  });
});

describe('a stranger', () => {
  const BODY = JSON.stringify(INITIALIZE);
  const JSON_HEADERS = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };

  it.each([
    ['a page of another site', { Origin: 'https://evil.example' }, 403],
    ['another name for this machine', { Host: 'evil.example' }, 403],
    ['a page of this machine', { Origin: 'http://localhost:3000' }, 200],
    ['no JSON', { 'Content-Type': 'text/plain' }, 415],
    ['one kind of answer', { Accept: 'application/json' }, 406],
  ])('that is %s', async (_, headers, status) => {
    const { url } = await serveBrain();
    expect(await rawStatus(url, { ...JSON_HEADERS, ...headers }, BODY)).toBe(status);
  });

  it('is refused what is too large, or no JSON', async () => {
    const { origin } = await serveBrain();
    const large = await post(origin, JSON.stringify({ ...INITIALIZE, padding: 'x'.repeat(5 * 1024 * 1024) }));
    expect(large.status).toBe(413);
    const broken = await post(origin, '{');
    expect([broken.status, ((await broken.json()) as Message).error.code]).toEqual([400, -32700]);
  });

  it('needs the token, where there is one', async () => {
    const { origin } = await serveBrain([], { SB_SERVE_TOKEN: TOKEN });
    expect((await post(origin, INITIALIZE)).status).toBe(401);
    expect((await post(origin, INITIALIZE, { Authorization: 'Bearer other' })).status).toBe(401);
    expect((await post(origin, INITIALIZE, { Authorization: `Bearer ${TOKEN}` })).status).toBe(200);
  });

  it('finds no way in from the network without one', async () => {
    const folder = await temporaryFolder(NOTES);
    const start = startHttp(['brain', folder, '--transport', 'http', '--host', '0.0.0.0', '--port', '0']);
    await expect(start).rejects.toThrow('without authentication');
  });
});
