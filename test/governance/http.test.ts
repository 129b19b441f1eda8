/** Servers over Streamable HTTP: sessions, streams that break, and where requests may go. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { capEvents } from '../../src/upstream/guarded-fetch.ts';
import type { HttpTarget } from '../../src/upstream/target.ts';
import type { Upstream, UpstreamOptions } from '../../src/upstream/upstream.ts';
import { startServer } from '../conformance/server.ts';
import { event, json, openEvents, startOddHttp } from './odd-http.ts';
import { said, until, upstreamOf } from './upstream-kit.ts';

function remote(
  url: string,
  parts: Partial<HttpTarget> = {},
  options: Partial<UpstreamOptions> = {},
): Upstream {
  const target = { transport: 'streamable_http', url, headers: {}, allowPrivate: false, ...parts } as const;
  return upstreamOf({ name: 'remote', target, ...options });
}

describe('both eras', () => {
  it.each([
    ['auto', 'modern', '2026-07-28'],
    ['modern', 'modern', '2026-07-28'],
    ['legacy', 'legacy', '2025-11-25'],
  ] as const)('%s speaks %s with a server that knows both', async (era, expected, protocolVersion) => {
    const server = await startServer();
    onTestFinished(server.close);
    const upstream = remote(server.url, {}, { era });
    expect(await upstream.connect()).toMatchObject({ era: expected, protocolVersion });
    const tools = (await upstream.list('tool')).map(({ name }) => name);
    expect(tools).toContain('test_simple_text');
    expect(await upstream.call('test_simple_text', {})).toMatchObject({ content: [{ type: 'text' }] });
    expect((await upstream.list('resource')).map(({ name }) => name)).toContain('test://static-text');
    expect((await upstream.list('template')).map(({ name }) => name)).toContain('test://template/{id}/data');
    expect((await upstream.list('prompt')).map(({ name }) => name)).toContain('test_simple_prompt');
    expect((await upstream.read('test://static-text')).contents).toHaveLength(1);
    expect((await upstream.getPrompt('test_simple_prompt', {})).messages).not.toHaveLength(0);
    const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' } as const;
    const { completion } = await upstream.complete({ ref, argument: { name: 'arg1', value: 'par' } });
    expect(completion.values).not.toHaveLength(0);
    expect(await upstream.ping()).toBeGreaterThan(0);
  });
});

describe('a session', () => {
  it('is opened once, used for everything, and ended at the end; configured headers go with all of it', async () => {
    const server = await startOddHttp();
    const upstream = remote(server.url, { headers: { 'X-Api-Key': 'k' } });
    await upstream.call('echo', { a: 1 });
    await upstream.call('echo', { a: 2 });
    await until(() => server.streams.length === 1);
    await upstream.close();
    expect(server.posted()).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/call',
      'tools/call',
    ]);
    expect(server.seen.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 'first' } });
    expect(server.seen.map(({ headers }) => headers['x-api-key'])).toEqual(server.seen.map(() => 'k'));
  });

  it('that the server has lost is opened anew, and the request made again', async () => {
    const server = await startOddHttp();
    const upstream = remote(server.url);
    await upstream.connect();
    const changes: string[] = [];
    upstream.onListChanged((kind) => changes.push(kind));
    server.session = 'second';
    expect(await said(upstream.call('echo', { again: true }))).toEqual({ again: true });
    expect(server.posted().filter((method) => method === 'initialize')).toHaveLength(2);
    // Old servers are not asked twice whether they are new.
    expect(server.posted().filter((method) => method === 'server/discover')).toHaveLength(1);
    expect(changes.sort()).toEqual(['prompts', 'resources', 'tools']);
  });

  it('that is lost again at once is not opened for ever', async () => {
    const server = await startOddHttp({
      intercept: ({ body }, response) => {
        if (body?.method !== 'tools/call') return false;
        json(response, 404, {});
        return true;
      },
    });
    await expect(remote(server.url).call('echo', {})).rejects.toMatchObject({
      reason: 'http_error',
      hint: expect.stringContaining('404'),
    });
    expect(server.posted().filter((method) => method === 'tools/call')).toHaveLength(2);
  });

  it('that is lost while idle is opened anew for the next request', async () => {
    const server = await startOddHttp();
    const upstream = remote(server.url);
    await upstream.connect();
    await until(() => server.streams.length === 1);
    server.session = 'second';
    server.streams[0]?.end(event('g.1'));
    await until(() => upstream.status().state === 'idle');
    expect(await said(upstream.call('echo', { a: 1 }))).toEqual({ a: 1 });
    expect(server.posted().filter((method) => method === 'tools/call')).toHaveLength(1);
  });
});

describe('a stream', () => {
  const afterwards = (server: Awaited<ReturnType<typeof startOddHttp>>) =>
    server.seen.filter(({ method }) => method === 'GET').map(({ headers }) => headers['last-event-id']);

  it('is taken up where it broke off, also when it breaks off again before anything came', async () => {
    const server = await startOddHttp();
    const upstream = remote(server.url);
    const changes: string[] = [];
    upstream.onListChanged((kind) => changes.push(kind));
    await upstream.connect();
    await until(() => server.streams.length === 1);
    server.streams[0]?.end(event('g.7'));
    await until(() => server.streams.length === 2);
    server.streams[1]?.destroy();
    await until(() => server.streams.length === 3);
    expect(afterwards(server)).toEqual([undefined, 'g.7', 'g.7']);
    server.streams[2]?.write(event('g.8', { method: 'notifications/tools/list_changed' }));
    await until(() => changes.length === 1);
    expect(server.posted().filter((method) => method === 'initialize')).toHaveLength(1);
  });

  it('of a call that breaks off is taken up, and the answer comes; nothing is sent twice or cancelled', async () => {
    const server = await startOddHttp({
      intercept: ({ method, body, headers }, response) => {
        if (body?.method === 'tools/call') {
          openEvents(response);
          response.end(event(`call.${body.id}`));
          return true;
        }
        const id = /^call\.(\d+)$/.exec(String(headers['last-event-id']))?.[1];
        if (method !== 'GET' || id === undefined) return false;
        openEvents(response);
        const result = { content: [{ type: 'text', text: '"resumed"' }] };
        response.end(event(`call.${id}.done`, { id: Number(id), result }));
        return true;
      },
    });
    expect(await said(remote(server.url).call('echo', {}))).toBe('resumed');
    expect(server.posted().filter((method) => method === 'tools/call')).toHaveLength(1);
    expect(server.posted()).not.toContain('notifications/cancelled');
  });

  it('of a call that is given up gets a cancellation, and is closed in the end', async () => {
    let isClosed = false;
    const server = await startOddHttp({
      intercept: ({ body }, response) => {
        if (body?.method !== 'tools/call') return false;
        openEvents(response);
        response.write(event('call.1'));
        response.on('close', () => {
          isClosed = true;
        });
        return true;
      },
    });
    const upstream = remote(server.url);
    await expect(upstream.call('echo', {}, { timeoutMs: 200 })).rejects.toMatchObject({
      reason: 'timeout',
      details: { rpc: -32001 },
    });
    await until(() => server.posted().includes('notifications/cancelled'));
    const call = server.seen.find(({ body }) => body?.method === 'tools/call');
    const cancellation = server.seen.find(({ body }) => body?.method === 'notifications/cancelled');
    expect(cancellation?.body?.params).toMatchObject({ requestId: call?.body?.id });
    await until(() => isClosed);
  });

  it.each([
    ['an event', 'text/event-stream', 'data: '],
    ['an answer', 'application/json', '"'],
  ])('%s without an end is not read to the end', async (_, type, beginning) => {
    const server = await startOddHttp({
      intercept: ({ body }, response) => {
        if (body?.method !== 'tools/call') return false;
        response.writeHead(200, { 'content-type': type });
        response.write(beginning);
        const flood = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', flood);
        flood();
        return true;
      },
    });
    const upstream = remote(server.url);
    await expect(upstream.call('echo', {})).rejects.toThrow();
    expect(await upstream.ping()).toBeGreaterThan(0);
  });

  it('of a call that ends without an answer fails the call', async () => {
    const server = await startOddHttp({
      intercept: ({ body }, response) => {
        if (body?.method !== 'tools/call') return false;
        openEvents(response);
        response.end(': nothing\n\n');
        return true;
      },
    });
    await expect(remote(server.url).call('echo', {})).rejects.toMatchObject({
      reason: 'closed',
    });
  });

  it('has events that end with an empty line, however it is written', () => {
    const cap = capEvents(12);
    expect(() => cap(Buffer.from('data: a\n\ndata: b\r\n\r\n: c\n\ndata: '))).not.toThrow();
    expect(() => cap(Buffer.from('0123456'))).toThrow('12 bytes');
  });
});

describe('where requests may go', () => {
  it.each(['http://example.com/mcp', 'ftp://127.0.0.1/', 'https://user:secret@example.com/mcp', 'nonsense'])(
    '%s is refused before anything is sent',
    async (url) => {
      await expect(remote(url).connect()).rejects.toMatchObject({ reason: 'http_error' });
    },
  );

  it.each([
    ['a private address', ['10.1.2.3']],
    ['this machine', ['127.0.0.1']],
    ['the cloud it runs in', ['169.254.169.254']],
    ['a good and a bad address', ['93.184.216.34', '192.168.0.1']],
  ])('a name that leads to %s is refused', async (_, addresses) => {
    const upstream = remote('https://mcp.example.com/', { resolve: async () => addresses });
    await expect(upstream.connect()).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('a redirect within the same origin is followed, another is not', async () => {
    const elsewhere = await startOddHttp();
    let target = '/moved';
    const server = await startOddHttp({
      intercept: ({ path }, response) => {
        if (path !== '/mcp') return false;
        response.writeHead(307, { location: target }).end();
        return true;
      },
    });
    expect(await said(remote(server.url).call('echo', { a: 1 }))).toEqual({ a: 1 });
    target = elsewhere.url;
    await expect(remote(server.url).connect()).rejects.toThrow();
    expect(elsewhere.seen).toEqual([]);
  });

  it('an outage is an error each time, and over when it is over', async () => {
    let isDown = true;
    const server = await startOddHttp({
      intercept: (_, response) => {
        if (isDown) response.destroy();
        return isDown;
      },
    });
    const upstream = remote(server.url);
    for (let at = 0; at < 8; at++) await expect(upstream.connect()).rejects.toThrow();
    isDown = false;
    expect(await said(upstream.call('echo', { back: 1 }))).toEqual({ back: 1 });
  });
});
