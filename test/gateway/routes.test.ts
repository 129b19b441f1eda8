/** Routing of requests, and the answers to unknown routes. */
import { once } from 'node:events';
import { request as openRequest } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { sessionLabel } from '../../src/http/tenants/sessions.ts';
import {
  bearer,
  GATEWAY_TOKEN,
  headersFor,
  INITIALIZE_PARAMS,
  OTHER_TOKEN,
  openSession,
  openStream,
  startGateway,
} from '../kit/gateway.ts';
import { INITIALIZE, post } from '../kit/http.ts';
import { openTrilium } from '../kit/trilium/open.ts';
import { startTrilium, TOKEN } from '../kit/trilium/server.ts';

const PING = { jsonrpc: '2.0', id: 7, method: 'ping' };
const errorOf = async (answer: Response) => ({ status: answer.status, ...((await answer.json()) as object) });

test('health is open to all and says no more than that', async () => {
  const { origin, events } = await startGateway();
  const answer = await fetch(`${origin}/health`);
  expect(await answer.json()).toEqual({ status: 'ok' });
  expect((await fetch(`${origin}/health`, { method: 'HEAD' })).status).toBe(200);
  await expect.poll(() => events('http_request')).toHaveLength(2);
  expect(events('http_request')[0]).toMatchObject({
    level: 'info',
    method: 'GET',
    path: '/health',
    status: 200,
    remote: '127.0.0.1',
    duration_ms: expect.any(Number),
  });
});

test('readiness is that of the one Trilium, told to strangers without its name', async () => {
  const fake = await openTrilium();
  const own = await startGateway({}, { only: fake });
  const guarded = await startGateway({ auth: 'bearer', tokens: [GATEWAY_TOKEN] }, { only: fake });
  const many = await startGateway({ rateLimitRps: 1, rateLimitBurst: 1 });
  const ready = async ({ origin }: { origin: string }) => {
    const answer = await fetch(`${origin}/readyz`);
    return [answer.status, await answer.json()];
  };
  expect(await ready(own)).toEqual([200, { status: 'ok', checks: { trilium: 'ok' } }]);
  expect(await ready(guarded)).toEqual([200, { status: 'ok' }]);
  for (let count = 0; count < 5; count++) expect(await ready(many)).toEqual([200, { status: 'ok' }]);
  await fake.close();
  await expect
    .poll(() => ready(own), { timeout: 5_000 })
    .toEqual([503, { status: 'unavailable', checks: { trilium: 'failed' } }]);
  expect((await ready(guarded))[0]).toBe(503);
  expect((await fetch(`${own.origin}/healthz`)).status).toBe(200);
});

test.each([
  ['GET', '/'],
  ['POST', '/health'],
  ['PUT', '/mcp'],
  ['POST', '/sse'],
  ['GET', '/message'],
  ['OPTIONS', '/mcp'],
  ['GET', '/mcp/x'],
  ['GET', '/%6dcp'],
])('%s %s is nowhere', async (method, path) => {
  const { origin } = await startGateway();
  expect(await errorOf(await fetch(`${origin}${path}`, { method }))).toEqual({
    status: 404,
    error: 'not_found',
  });
});

test('the path is logged without what follows it', async () => {
  const { origin, events } = await startGateway();
  await fetch(`${origin}/nowhere?token=s3cret`);
  await expect.poll(() => events('http_request')).toHaveLength(1);
  expect(events('http_request')[0]?.path).toBe('/nowhere');
});

test.each([
  ['no token', {}, 'no_token'],
  ['a wrong one', { Authorization: 'Bearer wrong' }, 'verify_failed'],
  ['another kind', { Authorization: `Basic ${GATEWAY_TOKEN}` }, 'no_token'],
  ['two words', { Authorization: `Bearer ${GATEWAY_TOKEN} x` }, 'no_token'],
])('with %s neither transport opens, before anything else is looked at', async (_, headers, reason) => {
  const fake = await startTrilium();
  const { origin, events } = await startGateway();
  const tenant = { 'X-Trilium-Url': 'nonsense', 'X-Trilium-Token': TOKEN, ...headers };
  for (const answer of [
    await fetch(`${origin}/sse`, { headers: tenant }),
    await fetch(`${origin}/mcp`, { headers: { ...tenant, 'MCP-Session-Id': 'x' } }),
    await post(origin, 'no json', tenant),
  ]) {
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(await errorOf(answer)).toEqual({ status: 401, error: 'unauthorized' });
  }
  expect(events('unauthorized')).toHaveLength(3);
  expect(events('unauthorized')[0]).toMatchObject({ level: 'warn', remote: '127.0.0.1', reason });
  expect(fake.requests).toEqual([]);
});

test('every token of the operator opens it, however Bearer is written', async () => {
  const fake = await startTrilium();
  const { origin } = await startGateway();
  for (const authorization of [`bearer ${GATEWAY_TOKEN}`, `BEARER   ${OTHER_TOKEN} `]) {
    const headers = { ...headersFor(fake), Authorization: authorization };
    expect(await openSession(origin, headers)).toMatch(/^[\da-f-]{36}$/);
  }
});

test('without a session there is nothing to go on with', async () => {
  const fake = await startTrilium();
  const { origin } = await startGateway();
  const headers = headersFor(fake);
  const missing = { status: 400, error: 'missing_session_id', message: expect.any(String) };
  expect(await errorOf(await fetch(`${origin}/mcp`, { headers }))).toEqual(missing);
  expect(await errorOf(await fetch(`${origin}/mcp`, { method: 'DELETE', headers }))).toEqual(missing);
  expect(await errorOf(await post(origin, PING, headers))).toEqual(missing);
  expect(await errorOf(await post(origin, PING, {}, '/message'))).toEqual(missing);
  expect(await errorOf(await post(origin, PING, {}, '/message?sessionId='))).toEqual(missing);
});

test('an unknown session is named, with what to do', async () => {
  const fake = await startTrilium();
  const { origin, events } = await startGateway();
  const headers = { ...headersFor(fake), 'MCP-Session-Id': 'gone' };
  const gone = { status: 404, error: 'unknown_session', sessionId: 'gone', message: expect.any(String) };
  for (const method of ['POST', 'GET', 'DELETE']) {
    const answer = await fetch(`${origin}/mcp`, {
      method,
      headers,
      ...(method === 'POST' && { body: '{}' }),
    });
    expect(await errorOf(answer)).toEqual({
      ...gone,
      transport: 'streamable',
      hint: expect.stringContaining('/mcp'),
    });
  }
  const message = await errorOf(await post(origin, PING, {}, '/message?sessionId=gone'));
  expect(message).toEqual({ ...gone, transport: 'sse', hint: expect.stringContaining('/sse') });
  expect(events('unknown_session')).toHaveLength(4);
  expect(events('unknown_session')[3]).toMatchObject({
    level: 'warn',
    session: sessionLabel('gone'),
    transport: 'sse',
  });
});

test('what is no JSON is refused, and the server goes on', async () => {
  const fake = await startTrilium();
  const { origin } = await startGateway();
  const headers = headersFor(fake);
  const stream = await openStream(origin, headers);
  for (const body of ['', '{', 'null x']) {
    expect(await errorOf(await post(origin, body, headers))).toMatchObject({
      status: 400,
      error: 'invalid_json',
    });
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const message = await post(origin, body, { 'Content-Type': type }, stream.endpoint);
      expect(await errorOf(message)).toMatchObject({ status: 400, error: 'invalid_json' });
    }
  }
  const noMessage = await post(origin, [], {}, stream.endpoint);
  expect(await errorOf(noMessage)).toMatchObject({ status: 400, error: 'invalid_message' });
  const form = { ...headers, 'Content-Type': 'text/plain' };
  expect(await errorOf(await post(origin, INITIALIZE, form))).toMatchObject({
    status: 415,
    error: 'unsupported_media_type',
  });
  expect(await stream.ask(1, 'initialize', INITIALIZE_PARAMS)).toHaveProperty('serverInfo');
});

test('a session is opened, used and ended, and curl may say that it accepts anything', async () => {
  const fake = await startTrilium();
  const { origin, events } = await startGateway();
  const headers = { ...headersFor(fake), Accept: '*/*' };
  const id = await openSession(origin, headers);
  // As the document has it: what opened the session is not sent again.
  const used = await post(
    origin,
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    { ...bearer(), 'MCP-Session-Id': id },
  );
  expect(used.status).toBe(200);
  expect(await used.text()).toContain('search_notes');
  const picky = { ...bearer(), 'MCP-Session-Id': id, Accept: 'application/json' };
  expect((await post(origin, PING, picky)).status).toBe(406);
  const ended = await fetch(`${origin}/mcp`, {
    method: 'DELETE',
    headers: { ...bearer(), 'MCP-Session-Id': id },
  });
  expect(ended.status).toBe(200);
  const after = await post(origin, PING, { ...bearer(), 'MCP-Session-Id': id });
  expect(await errorOf(after)).toMatchObject({ status: 404, error: 'unknown_session' });
  expect(events('mcp_session_opened')).toMatchObject([
    { level: 'info', session: sessionLabel(id), host: '127.0.0.1' },
  ]);
  expect(events('mcp_session_closed')).toMatchObject([{ session: sessionLabel(id) }]);
});

test('an idle session ends by itself', async () => {
  const fake = await startTrilium();
  const { origin, events } = await startGateway({ sessionIdleMinutes: 0.002 });
  const id = await openSession(origin, headersFor(fake));
  await expect.poll(() => events('mcp_session_closed'), { timeout: 40_000 }).toHaveLength(1);
  expect((await post(origin, PING, { ...bearer(), 'MCP-Session-Id': id })).status).toBe(404);
});

test('a stream says where messages go, is logged once when it opens and once when it closes, and ends with its client', async () => {
  const fake = await startTrilium();
  const { origin, events } = await startGateway();
  const stream = await openStream(origin, headersFor(fake));
  expect(stream.endpoint).toMatch(/^\/message\?sessionId=[\da-f-]{36}$/);
  await stream.ask(1, 'initialize', INITIALIZE_PARAMS);
  const session = sessionLabel(stream.session);
  expect(events('sse_connected')).toMatchObject([{ level: 'info', session, host: '127.0.0.1' }]);
  expect(events('sse_post')).toMatchObject([{ level: 'debug', session, bytes: expect.any(Number) }]);
  stream.close();
  await expect.poll(() => events('sse_closed')).toMatchObject([{ session }]);
  expect((await post(origin, PING, {}, stream.endpoint)).status).toBe(404);
});

test('bodies are cut off where the operator says: at once by their length, or on the way', async () => {
  const fake = await startTrilium();
  const { origin } = await startGateway({ maxPostBytes: '2Ki' });
  const headers = headersFor(fake);
  const large = JSON.stringify({ ...INITIALIZE, padding: 'x'.repeat(3_000) });
  expect(await errorOf(await post(origin, large, headers))).toMatchObject({
    status: 413,
    error: 'payload_too_large',
  });
  const stream = await openStream(origin, headers);
  expect((await post(origin, large, {}, stream.endpoint)).status).toBe(413);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const request = openRequest(`${origin}/mcp`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
    });
    request.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
    // Never ended: the answer comes before the end.
    for (let piece = 0; piece < 4; piece++) request.write('x'.repeat(1_000));
  });
  expect(status).toBe(413);
  expect(await openSession(origin, headers)).not.toBe('');
});

test('a limit beyond what can be read as one text is said to be less', async () => {
  expect((await startGateway({ maxPostBytes: '1gb' })).warnings).toEqual([
    expect.stringMatching(/above 51\d MB are refused/),
  ]);
});

test('what the SDK would find too long goes through, over both transports', async () => {
  const fake = await startTrilium({ notes: [{ id: 'abcd', title: 'A' }] });
  const { origin } = await startGateway();
  const headers = headersFor(fake);
  const content = `<p>${'long '.repeat(1_200_000)}</p>`;
  const call = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'write_note', arguments: { noteId: 'abcd', mode: 'replace', content } },
  });
  const id = await openSession(origin, headers);
  const written = await post(origin, call(2), { ...headers, 'MCP-Session-Id': id });
  expect(await written.text()).toContain('success');
  const stream = await openStream(origin, headers);
  await stream.ask(1, 'initialize', INITIALIZE_PARAMS);
  expect(JSON.stringify(await stream.ask(2, 'tools/call', call(2).params))).toContain('success');
});

test('the end does not wait for connections on which nothing was ever asked', async () => {
  const { origin, close, events } = await startGateway();
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  await once(socket, 'connect');
  await fetch(`${origin}/health`);
  await expect.poll(() => events('http_request')).toHaveLength(1);
  const ended = once(socket, 'close');
  await close();
  await ended;
}, 9_000);

test('what was asked over a stream is answered before the end', async () => {
  const fake = await startTrilium({ notes: [{ id: 'abcd', title: 'A' }] });
  const { origin, close, events } = await startGateway();
  const stream = await openStream(origin, headersFor(fake));
  await stream.ask(1, 'initialize', INITIALIZE_PARAMS);
  fake.faults.latencyMs = () => 300;
  const answer = stream.ask(2, 'tools/call', { name: 'get_note', arguments: { noteId: 'abcd' } });
  await expect.poll(() => fake.requests.some((request) => request.includes('/notes/abcd'))).toBe(true);
  const ended = close();
  expect(JSON.stringify(await answer)).toContain('abcd');
  await ended;
  expect(events('sse_closed')).toMatchObject([{ session: sessionLabel(stream.session) }]);
});

test('what a client gave up holds up nothing', async () => {
  const fake = await startTrilium({ notes: [{ id: 'abcd', title: 'A' }] });
  const { origin, close } = await startGateway();
  const stream = await openStream(origin, headersFor(fake));
  await stream.ask(1, 'initialize', INITIALIZE_PARAMS);
  fake.faults.latencyMs = () => 300;
  const params = { name: 'get_note', arguments: { noteId: 'abcd' } };
  const say = (message: object) => post(origin, { jsonrpc: '2.0', ...message }, {}, stream.endpoint);
  await say({ id: 2, method: 'tools/call', params });
  await say({ method: 'notifications/cancelled', params: { requestId: 2 } });
  await close();
}, 9_000);
