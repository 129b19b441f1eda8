/** Checks made before a request is routed: origin, host, and the rate limit of its client. */
import { type IncomingMessage, request as openRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createTokenBuckets } from '../../src/shared/rate-limit.ts';
import { headersFor, OTHER_TOKEN, openSession, type Settings, startGateway } from '../kit/gateway.ts';
import { INITIALIZE, post } from '../kit/http.ts';
import { startTrilium } from '../kit/trilium/server.ts';

const APP = 'https://app.example.com';

/** With any headers, such as Host, which fetch does not let one set. */
async function ask(
  origin: string,
  { path = '/mcp', method = 'GET', body = '', ...headers }: Record<string, string>,
): Promise<{ status: number; headers: IncomingMessage['headers']; text: string }> {
  return new Promise((resolve, reject) => {
    const request = openRequest(`${origin}${path}`, { method, headers, agent: false });
    request.on('error', reject).on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    request.end(body);
  });
}

const preflight = (origin: string, further: Record<string, string> = {}) => ({
  method: 'OPTIONS',
  origin,
  'access-control-request-method': 'POST',
  ...further,
});

describe('pages of other sites', () => {
  test('may not call unless they are listed', async () => {
    const { origin } = await startGateway();
    const asked = await ask(origin, preflight(APP));
    expect(asked.status).toBe(404);
    expect(Object.keys(asked.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test.each([[[APP]], [['https://admin.example.com', APP]], [['*']]])(
    'are named in the answer where %s may call, never as *',
    async (corsOrigins) => {
      const fake = await startTrilium();
      const { origin } = await startGateway({ corsOrigins });
      const asked = await ask(origin, preflight(APP));
      expect(asked.status).toBe(204);
      expect(asked.headers).toMatchObject({
        'access-control-allow-origin': APP,
        'access-control-allow-credentials': 'true',
        'access-control-max-age': '600',
        vary: expect.stringContaining('Origin'),
      });
      expect(asked.headers['access-control-allow-methods']).toMatch(/GET.*POST.*DELETE/);
      const allowed = String(asked.headers['access-control-allow-headers']).toLowerCase();
      for (const name of [
        'authorization',
        'x-trilium-url',
        'x-trilium-token',
        'mcp-session-id',
        'content-type',
        'last-event-id',
      ])
        expect(allowed).toContain(name);
      const opened = await post(origin, INITIALIZE, { ...headersFor(fake), Origin: APP });
      expect(opened.status).toBe(200);
      expect(opened.headers.get('access-control-allow-origin')).toBe(APP);
      expect(opened.headers.get('access-control-allow-credentials')).toBe('true');
      expect(opened.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('mcp-session-id');
      const refused = await post(origin, INITIALIZE, { Origin: APP });
      expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, APP]);
    },
  );

  test('headers of their own are allowed when they ask', async () => {
    const { origin } = await startGateway({ corsOrigins: [APP] });
    const headers = { 'access-control-request-headers': 'x-trace, authorization, bad header' };
    const allowed = String(
      (await ask(origin, preflight(APP, headers))).headers['access-control-allow-headers'],
    );
    expect(allowed).toContain('x-trace');
    expect(allowed).not.toContain('bad header');
  });

  test('that are not listed are refused with the reason, and get nothing they could read', async () => {
    const fake = await startTrilium();
    const { origin } = await startGateway({ corsOrigins: [APP] });
    const asked = await ask(origin, preflight('https://evil.test'));
    expect([asked.status, JSON.parse(asked.text)]).toEqual([403, { error: 'cors_origin_rejected' }]);
    const called = await post(origin, INITIALIZE, { ...headersFor(fake), Origin: 'https://evil.test' });
    expect([called.status, called.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  });
});

describe('one Trilium without a token', () => {
  test('is for this machine: no other name, and no page of another site', async () => {
    const fake = await startTrilium();
    const { origin } = await startGateway({ allowedHosts: ['mcp.example.com'] }, { only: fake });
    const { port } = new URL(origin);
    const initialize = {
      method: 'POST',
      body: JSON.stringify(INITIALIZE),
      'content-type': 'application/json',
    };
    const status = async (headers: Record<string, string>) =>
      (await ask(origin, { ...initialize, ...headers })).status;
    expect(await status({ host: `evil.test:${port}` })).toBe(403);
    expect(await status({ host: `127.0.0.1.evil.test:${port}` })).toBe(403);
    expect(await status({ origin: 'https://evil.test' })).toBe(403);
    expect(await status({ origin: 'null' })).toBe(403);
    const sse = await ask(origin, { path: '/sse', host: `evil.test:${port}` });
    expect(JSON.parse(sse.text)).toMatchObject({ error: 'host_rejected' });
    expect(await status({})).toBe(200);
    expect(await status({ host: `localhost:${port}`, origin: 'http://localhost:6274' })).toBe(200);
    expect(await status({ host: 'mcp.example.com' })).toBe(200);
    expect((await ask(origin, { path: '/health', host: 'evil.test' })).status).toBe(200);
  });

  test('lets pages in that may call', async () => {
    const fake = await startTrilium();
    const { origin } = await startGateway({ corsOrigins: [APP] }, { only: fake });
    expect((await post(origin, INITIALIZE, { Origin: APP })).status).toBe(200);
    expect((await post(origin, INITIALIZE, { Origin: 'https://evil.test' })).status).toBe(403);
  });
});

test('one Trilium behind a token: what clients say of another is not listened to', async () => {
  const [fake, other] = [await startTrilium(), await startTrilium()];
  const settings: Settings = { auth: 'bearer', tokens: ['single-tenant-token'] };
  const { origin, events } = await startGateway(settings, { only: fake, subtree: 'root' });
  expect((await post(origin, INITIALIZE, {})).status).toBe(401);
  const headers = headersFor(other, 'single-tenant-token');
  const id = await openSession(origin, headers);
  const call = {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'manage_system', arguments: { action: 'app_info' } },
  };
  await (await post(origin, call, { ...headers, 'MCP-Session-Id': id })).text();
  expect([fake.requests, other.requests]).toEqual([['GET /etapi/app-info'], []]);
  expect(events('server_started')).toMatchObject([
    {
      level: 'info',
      transport: 'http',
      port: Number(new URL(origin).port),
      mode: 'single-tenant',
      gateway_auth: 'bearer',
    },
  ]);
});

describe('rate limits', () => {
  const limits = { rateLimitRps: 0.01, rateLimitBurst: 3 };

  test('by address, with the time to wait; never for health and questions of browsers', async () => {
    const { origin, events } = await startGateway({ ...limits, corsOrigins: [APP] });
    for (let round = 0; round < 3; round++) expect((await fetch(`${origin}/mcp`)).status).toBe(401);
    const limited = await fetch(`${origin}/mcp`);
    expect([limited.status, await limited.json()]).toEqual([429, { error: 'rate_limited', reason: 'ip' }]);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(50);
    expect((await fetch(`${origin}/metrics`)).status).toBe(429);
    expect((await fetch(`${origin}/nowhere`)).status).toBe(429);
    for (let round = 0; round < 5; round++) {
      expect((await fetch(`${origin}/health`)).status).toBe(200);
      expect((await ask(origin, preflight(APP))).status).toBe(204);
    }
    expect(events('rate_limited')[0]).toMatchObject({ level: 'warn', reason: 'ip', remote: '127.0.0.1' });
  });

  test('by token, from however many addresses', async () => {
    const { origin } = await startGateway({ ...limits, trustedProxies: ['loopback'] });
    let last = 0;
    const from = async (token: string, scheme = 'Bearer') =>
      fetch(`${origin}/mcp`, {
        headers: { Authorization: `${scheme} ${token}`, 'X-Forwarded-For': `192.0.2.${++last}` },
      });
    for (let round = 0; round < 3; round++) expect((await from('stolen')).status).toBe(401);
    for (const scheme of ['Bearer', 'DPoP']) {
      const limited = await from('stolen', scheme);
      expect([limited.status, await limited.json()], scheme).toEqual([
        429,
        { error: 'rate_limited', reason: 'token' },
      ]);
    }
    expect((await from(OTHER_TOKEN)).status).toBe(400);
  });

  test('are off unless both numbers are given', async () => {
    const { origin, warnings } = await startGateway({ rateLimitRps: 0.01 });
    for (let round = 0; round < 20; round++) expect((await fetch(`${origin}/mcp`)).status).toBe(401);
    expect(warnings).toEqual([expect.stringContaining('--rate-limit-burst')]);
  });

  test('a bucket gives its burst at once and then fills steadily, for a bounded number of keys', () => {
    let time = 0;
    const take = createTokenBuckets({ perSecond: 2, burst: 3, maxKeys: 2, now: () => time });
    expect([take('a'), take('a'), take('a'), take('a')]).toEqual([undefined, undefined, undefined, 1]);
    time += 500;
    expect([take('a'), take('a')]).toEqual([undefined, 1]);
    time += 60_000;
    expect([take('a'), take('a'), take('a'), take('a')]).toEqual([undefined, undefined, undefined, 1]);
    expect(take('b')).toBeUndefined();
    expect(take('c')).toBeUndefined();
    expect(take('a')).toBeUndefined();
  });
});
