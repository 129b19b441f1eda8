/** Which Trilium a client gets: its own, if it may be reached and takes the token, and no other client's. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createUrlGuard } from '../../src/http/tenants/url-guard.ts';
import type { Parts, Settings } from '../kit/gateway.ts';
import {
  bearer,
  headersFor,
  INITIALIZE_PARAMS,
  OTHER_TOKEN,
  openSession,
  openStream,
  startGateway,
} from '../kit/gateway.ts';
import { INITIALIZE, post } from '../kit/http.ts';
import { startTrilium, TOKEN } from '../kit/trilium/server.ts';

const PUBLIC = '93.184.215.14';
const PING = { jsonrpc: '2.0', id: 7, method: 'ping' };

/** The answer of both transports, asserted to be equal. */
async function connect(
  headers: Record<string, string>,
  settings: Settings = {},
  parts: Parts = {},
): Promise<Record<string, unknown>> {
  const { origin, events } = await startGateway(settings, parts);
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const answers: Record<string, unknown>[] = [];
  for (const answer of [
    await fetch(`${origin}/sse`, { headers: { ...bearer(), ...headers }, signal: ending.signal }),
    await post(origin, INITIALIZE, { ...bearer(), ...headers }),
  ]) {
    const { status: http } = answer;
    answers.push(http === 200 ? { http } : { http, ...((await answer.json()) as object) });
  }
  const [first = {}, second] = answers;
  expect(second).toEqual(first);
  if (typeof first.error === 'string') expect(events(first.error)).toHaveLength(2);
  return { ...first, logged: events(String(first.error))[0] };
}

const refused = (reason: string) => ({
  http: 400,
  error: 'url_rejected',
  reason,
  logged: { level: 'warn', event: 'url_rejected', reason, remote: '127.0.0.1' },
});

describe('the headers', () => {
  test.each([
    ['none', {}],
    ['no token', { 'X-Trilium-Url': 'http://127.0.0.1:1' }],
    ['no url', { 'X-Trilium-Token': TOKEN }],
    ['blank ones', { 'X-Trilium-Url': ' ', 'X-Trilium-Token': ' ' }],
    ['a token of two words', { 'X-Trilium-Url': 'http://127.0.0.1:1', 'X-Trilium-Token': 'a b' }],
  ])('come as a pair: %s', async (_, headers) => {
    expect(await connect(headers)).toMatchObject({
      http: 401,
      error: 'missing_trilium_credentials',
      logged: { level: 'warn', remote: '127.0.0.1' },
    });
  });
});

describe('the address', () => {
  const at = (url: string) => ({ 'X-Trilium-Url': url, 'X-Trilium-Token': TOKEN });
  const strict: Settings = { allowPrivateUrls: false };
  const noResolving: Parts = { resolve: async () => expect.unreachable('nothing to resolve') };

  test.each([
    ['nonsense', 'invalid_url'],
    ['//notes.example.com', 'invalid_url'],
    ['http://', 'invalid_url'],
    ['http://a..b/', 'invalid_url'],
    ['https://notes.example.com/?x=1', 'invalid_url'],
    [`https://notes.example.com/${'x'.repeat(3_000)}`, 'invalid_url'],
    ['ftp://notes.example.com', 'bad_scheme'],
    ['file:///etc/passwd', 'bad_scheme'],
    ['javascript:alert(1)', 'bad_scheme'],
    ['https://me:secret@notes.example.com', 'embedded_credentials'],
    ['https://token@notes.example.com', 'embedded_credentials'],
  ])('%s: %s', async (url, reason) => {
    expect(await connect(at(url), strict, noResolving)).toEqual(refused(reason));
  });

  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://127.1:8080',
    'http://localhost',
    'http://notes.localhost.',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[fc00::1]/',
    'http://[ff02::1]/',
    'http://[100::1]/',
    'http://[2001:db8::1]/',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://192.0.0.1/',
    'http://192.0.2.1/',
    'http://192.88.99.1/',
    'http://198.18.0.1/',
    'http://198.51.100.7/',
    'http://203.0.113.9/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
  ])('%s leads nowhere public', async (url) => {
    expect(await connect(at(url), strict, noResolving)).toEqual(refused('private_address'));
  });

  test('a name is judged by all of its addresses', async () => {
    const url = at('https://notes.example.com');
    const to = (...addresses: string[]): Parts => ({ resolve: async () => addresses });
    expect(await connect(url, strict, to('10.0.0.1'))).toEqual(refused('private_address'));
    expect(await connect(url, strict, to(PUBLIC, '127.0.0.1'))).toEqual(refused('private_address'));
    expect(await connect(url, strict, to('::ffff:10.0.0.1'))).toEqual(refused('private_address'));
    expect(await connect(url, strict, to())).toEqual(refused('dns_failure'));
    const mixed = createUrlGuard({ allowlist: [], allowPrivate: false, ...to(PUBLIC, '10.0.0.1') });
    await expect(mixed('https://notes.example.com')).rejects.toMatchObject({
      parts: { answer: { reason: 'private_address' } },
    });
    const resolve = async () => Promise.reject(new Error('ENOTFOUND'));
    expect(await connect(url, strict, { resolve })).toEqual(refused('dns_failure'));
  });

  test('a name that changes its mind after it was looked at is not followed', async () => {
    const fake = await startTrilium();
    const { port } = new URL(fake.url);
    let asked = 0;
    const parts: Parts = { resolve: async () => [asked++ % 2 === 0 ? PUBLIC : '127.0.0.1'] };
    const answer = await connect(at(`http://notes.example.com:${port}`), strict, parts);
    expect(answer).toEqual(refused('private_address'));
    expect(fake.requests).toEqual([]);
  });

  test('nor is one that changes its mind during a session', async () => {
    const fake = await startTrilium({ notes: [{ id: 'abcd', title: 'A' }] });
    const { port } = new URL(fake.url);
    let address = '127.0.0.1';
    const settings: Settings = { urlAllowlist: ['example.com'] };
    const { origin } = await startGateway(settings, { resolve: async () => [address] });
    const stream = await openStream(origin, { ...bearer(), ...at(`http://notes.example.com:${port}`) });
    await stream.ask(1, 'initialize', INITIALIZE_PARAMS);
    const get = (id: number) =>
      stream.ask(id, 'tools/call', { name: 'get_note', arguments: { noteId: 'abcd' } });
    expect(JSON.stringify(await get(2))).toContain('abcd');
    address = '169.254.169.254';
    const before = fake.requests.length;
    expect(JSON.stringify(await get(3))).toContain('Address refused');
    expect(fake.requests).toHaveLength(before);
  });

  test('with an allowlist only its hosts are reached, exactly or below, and they may be private', async () => {
    const fake = await startTrilium();
    const { port } = new URL(fake.url);
    const settings: Settings = { urlAllowlist: ['Example.com', '127.0.0.1'], allowPrivateUrls: false };
    const here: Parts = { resolve: async () => ['127.0.0.1'] };
    const to = (host: string) => connect(at(`http://${host}:${port}`), settings, here);
    for (const host of ['example.com', 'a.example.com', 'A.B.EXAMPLE.com.', '127.0.0.1'])
      expect(await to(host)).toMatchObject({ http: 200 });
    for (const host of ['badexample.com', 'example.com.evil.test', 'com', '127.0.0.2', '[::1]'])
      expect(await to(host)).toEqual(refused('not_allowlisted'));
    const metadata: Parts = { resolve: async () => ['169.254.169.254'] };
    expect(await connect(at('http://example.com'), settings, metadata)).toEqual(refused('private_address'));
  });

  test('public addresses may be named as such, of both kinds', async () => {
    const guard = createUrlGuard({ allowlist: [], allowPrivate: false, ...noResolving });
    for (const [url, host] of [
      ['https://[2606:4700:4700::1111]:8443/notes/etapi/', '2606:4700:4700::1111'],
      [`http://${PUBLIC}/`, PUBLIC],
    ] as const)
      expect(await guard(url)).toEqual({ url: url.replace(/\/$/, ''), host, allow: 'public' });
  });

  test('the end of an address is not what is below another', async () => {
    const settings: Settings = { urlAllowlist: ['0.0.1'] };
    expect(await connect(at('http://127.0.0.1'), settings)).toEqual(refused('not_allowlisted'));
  });

  test('private addresses can be allowed, and that is said at the start; link-local ones cannot', async () => {
    const fake = await startTrilium();
    const { events } = await startGateway({ allowPrivateUrls: true });
    expect(events('allow_private_urls_enabled')).toMatchObject([{ level: 'warn' }]);
    expect(await connect(at(`${fake.url}/etapi/`))).toMatchObject({ http: 200 });
    expect(await connect(at('http://169.254.169.254'))).toEqual(refused('private_address'));
  });
});

describe('the check of the credentials', () => {
  const bad = async (fate: Parameters<typeof fateOf>[0], parts: Parts = {}) => {
    const fake = await startTrilium();
    fake.faults.fate = () => fateOf(fate);
    return { fake, answer: await connect(headersFor(fake), {}, parts) };
  };
  const fateOf = (fate: 'hang' | 'reset' | 'html' | number | string) =>
    typeof fate === 'number'
      ? ({ kind: 'status', status: fate, applies: false } as const)
      : fate === 'reset'
        ? ({ kind: 'reset', applies: false } as const)
        : fate === 'html'
          ? ({ kind: 'html' } as const)
          : ({ kind: 'redirect', to: fate } as const);

  test('a token that Trilium refuses does not open anything', async () => {
    const fake = await startTrilium();
    const answer = await connect({ 'X-Trilium-Url': fake.url, 'X-Trilium-Token': 'wrong' });
    expect(answer).toEqual({
      http: 401,
      error: 'trilium_auth_failed',
      status: 401,
      code: 'NOT_AUTHENTICATED',
      logged: {
        level: 'warn',
        event: 'trilium_auth_failed',
        host: '127.0.0.1',
        status: 401,
        code: 'NOT_AUTHENTICATED',
        remote: '127.0.0.1',
      },
    });
    expect(fake.requests).toEqual(Array(2).fill('GET /etapi/app-info'));
  });

  test.each([
    [403, 401],
    [404, 502],
    [500, 502],
    [503, 502],
  ])('a Trilium that answers %s is answered for with %s', async (status, http) => {
    const { answer } = await bad(status);
    expect(answer).toMatchObject({ http, error: 'trilium_auth_failed', status, logged: { status } });
  });

  test('a redirect is not followed', async () => {
    const target = await startTrilium();
    const { answer } = await bad(`${target.url}/etapi/app-info`);
    expect(answer).toMatchObject({ http: 502, error: 'trilium_auth_failed', status: 302 });
    expect(target.requests).toEqual([]);
  });

  test('what is no Trilium, and what is not there', async () => {
    expect((await bad('html')).answer).toMatchObject({ http: 502, error: 'trilium_unreachable' });
    expect((await bad('reset')).answer).toMatchObject({ http: 502, error: 'trilium_unreachable' });
    const headers = { 'X-Trilium-Url': 'http://127.0.0.1:1', 'X-Trilium-Token': TOKEN };
    expect(await connect(headers)).toMatchObject({
      http: 502,
      error: 'trilium_unreachable',
      logged: { level: 'warn', host: '127.0.0.1', err: expect.stringContaining('ECONNREFUSED') },
    });
  });

  test('one that does not answer is given up', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    await new Promise((resolve) => silent.once('listening', resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const headers = { 'X-Trilium-Url': url, 'X-Trilium-Token': TOKEN };
    const late = { http: 504, error: 'trilium_validate_timeout', logged: { level: 'warn' } };
    expect(await connect(headers, {}, { probeTimeoutMs: 200 })).toMatchObject(late);
    const nameless = { ...headers, 'X-Trilium-Url': 'https://notes.example.com' };
    const resolve = () => new Promise<never>(() => {});
    expect(await connect(nameless, {}, { probeTimeoutMs: 200, resolve })).toMatchObject(late);
  });
});

describe('a session', () => {
  test('cannot be used by another client, over either transport, whatever it knows', async () => {
    const [fake, other] = [await startTrilium(), await startTrilium()];
    const { origin } = await startGateway();
    const id = await openSession(origin, headersFor(fake));
    const use = async (headers: Record<string, string>, method = 'POST') =>
      (
        await fetch(`${origin}/mcp`, {
          method,
          headers: {
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            'MCP-Session-Id': id,
            ...headers,
          },
          ...(method === 'POST' && { body: JSON.stringify(PING) }),
        })
      ).status;
    for (const method of ['POST', 'GET', 'DELETE']) {
      expect(await use(headersFor(fake, OTHER_TOKEN), method)).toBe(404);
      expect(await use(headersFor(other), method)).toBe(404);
      expect(await use({ ...headersFor(fake), 'X-Trilium-Token': 'other' }, method)).toBe(404);
    }
    expect(await use({}, 'POST')).toBe(401);
    expect(await use(headersFor(fake))).toBe(200);
    expect(await use(bearer())).toBe(200);

    const stream = await openStream(origin, headersFor(fake));
    const say = async (headers: Record<string, string>) =>
      (await post(origin, PING, headers, stream.endpoint)).status;
    expect(await say(bearer(OTHER_TOKEN))).toBe(404);
    expect(await say(bearer('wrong'))).toBe(401);
    expect(await say(headersFor(other))).toBe(404);
    expect(await say({})).toBe(202);
    expect(await say(headersFor(fake))).toBe(202);
    // An id of one transport is none of the other.
    const crossed = await post(origin, PING, {}, `/message?sessionId=${id}`);
    expect(crossed.status).toBe(404);
  });

  test('is checked once: later calls do not authenticate it again', async () => {
    const fake = await startTrilium({ notes: [{ id: 'abcd', title: 'A' }] });
    const { origin } = await startGateway();
    const id = await openSession(origin, headersFor(fake));
    const call = { name: 'get_note', arguments: { noteId: 'abcd', include_content: false } };
    for (let round = 0; round < 3; round++)
      await (
        await post(
          origin,
          { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call },
          { ...bearer(), 'MCP-Session-Id': id },
        )
      ).text();
    expect(fake.requests.filter((request) => request.endsWith('/app-info'))).toHaveLength(1);
  });
});
