/** Internal errors: they are logged, the caller gets no detail, and the server goes on. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createApp, type ExchangeHandler } from '../../src/http/app.ts';
import { createJsonReader } from '../../src/http/json-body.ts';
import { countWork } from '../../src/http/listen.ts';
import { HttpRefusal } from '../../src/http/refusal.ts';
import { createMcpRoute, createSseRoute, type McpRouteParts } from '../../src/http/tenants/mcp-routes.ts';
import { tenantRefusals } from '../../src/http/tenants/refusal.ts';
import { createSessionRegistry } from '../../src/http/tenants/sessions.ts';
import { tenantStack } from '../../src/http/tenants/stack.ts';
import { onlyTenant } from '../../src/http/tenants/tenants.ts';
import { type Log, silentLog } from '../../src/shared/log.ts';
import { ANONYMOUS } from '../../src/shared/principal.ts';
import { headersFor, openStream, startGateway } from '../kit/gateway.ts';
import { INITIALIZE, post } from '../kit/http.ts';
import { startTrilium } from '../kit/trilium/server.ts';

const broken = async () => Promise.reject(new Error('the disk is on fire at /home/me'));
const refusals: string[] = [];

async function serve(routes: Record<string, ExchangeHandler>) {
  const lines: Record<string, unknown>[] = [];
  const log: Log = (level, event, fields) => void lines.push({ level, event, ...fields });
  const stack = tenantStack({
    routes: [],
    mcp: new Map(Object.entries(routes)),
    origin: 'http://127.0.0.1',
    bodyTimeoutMs: 1_000,
    addressOf: () => '192.0.2.1',
    cors: undefined,
    hostCheck: undefined,
    limits: undefined,
    hasLogin: false,
    metrics: { answered() {}, rateLimited() {}, sessionRefused: (reason) => void refusals.push(reason) },
    log,
  });
  const server = createServer(createApp(stack)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lines };
}

test('an unexpected error', async () => {
  const { origin, lines } = await serve({ 'GET /mcp': broken });
  for (let round = 0; round < 2; round++) {
    const answer = await fetch(`${origin}/mcp?token=secret`);
    expect([answer.status, await answer.json()]).toEqual([500, { error: 'internal_error' }]);
  }
  expect(lines[0]).toEqual({
    level: 'error',
    event: 'request_handler_error',
    method: 'GET',
    path: '/mcp',
    err: expect.stringContaining('on fire'),
  });
});

test('a refusal that cannot be sent', async () => {
  const { origin, lines } = await serve({
    'GET /mcp': async () => {
      throw new HttpRefusal(401, 'unauthorized', { headers: { 'WWW-Authenticate': 'Bearer realm="€"' } });
    },
  });
  const answer = await fetch(`${origin}/mcp`);
  expect([answer.status, await answer.json()]).toEqual([500, { error: 'internal_error' }]);
  expect(lines[0]).toMatchObject({ event: 'request_handler_error', err: expect.stringContaining('header') });
});

test('a connection that cannot begin ends what was opened for it', async () => {
  let closed = 0;
  const openTenant: McpRouteParts['openTenant'] = async (headers) => ({
    ...(await onlyTenant('notes.example.com', {})(headers)),
    close: () => void closed++,
  });
  const parts: McpRouteParts = {
    authenticate: async () => ANONYMOUS,
    openTenant,
    leases: { borrow: async (_, headers) => ({ tenant: await openTenant(headers), release() {} }) },
    registry: createSessionRegistry(silentLog, { sessionOpened() {}, sessionClosed() {} }),
    nameOf: () => undefined,
    admit: async () => {},
    transportsOf: () => ({ endpoint: { handle: broken }, sse: { open: broken, receive() {} } }),
    messageAuth: false,
    work: countWork(),
    readJson: createJsonReader({ ordinaryBytes: 10_000, timeoutMs: 1_000 }),
    refusals: tenantRefusals({ canWrite: true }),
    log: silentLog,
  };
  const { origin, lines } = await serve({
    'GET /sse': createSseRoute(parts),
    'POST /mcp': createMcpRoute(parts),
  });
  for (const [answer, error] of [
    [await fetch(`${origin}/sse`), 'sse_connect_failed'],
    [await post(origin, INITIALIZE), 'streamable_init_failed'],
  ] as const) {
    expect([answer.status, await answer.json()]).toEqual([500, { error }]);
    const err = expect.stringContaining('on fire');
    expect(lines).toContainEqual({ level: 'error', event: error, remote: '192.0.2.1', err });
  }
  expect(closed).toBe(2);
  expect(refusals).toEqual(['sse_connect_failed', 'sse_connect_failed']);
});

test('when all places are taken, streams wait and idle sessions are evicted', async () => {
  const fake = await startTrilium();
  const { origin, events } = await startGateway({ sessions: 1 });
  const headers = headersFor(fake);
  await openStream(origin, headers);
  const second = await fetch(`${origin}/sse`, { headers });
  expect([second.status, await second.json()]).toEqual([503, { error: 'too_many_sessions' }]);
  expect(second.headers.get('retry-after')).toBe('30');
  expect((await post(origin, INITIALIZE, headers)).status).toBe(200);
  expect((await post(origin, INITIALIZE, headers)).status).toBe(200);
  expect(events('mcp_session_closed')).toHaveLength(1);
});
