/** The endpoint that speaks 2025-11-25 to the letter: what it refuses, its stream, and requests given up. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { STREAM_LIMITS, type StreamLimits } from '../../src/mcp/http/notification-stream.ts';
import type { LogMessage, Logs } from '../../src/mcp/logs.ts';
import { createServer } from '../../src/mcp/server.ts';
import { defineToolFor, type Surface } from '../../src/mcp/tool.ts';
import { silentLog } from '../../src/shared/log.ts';
import type { TestServer } from './server.ts';
import {
  abortable,
  eventsOf,
  initialize,
  type Message,
  messagesOf,
  modern,
  nextEvent,
  openSession,
  post,
  type StreamEvent,
  serve,
  sessionWith,
  toolCall,
  type WireSession,
} from './wire.ts';

const PING = { id: 1, method: 'ping' };
const READY = { level: 'info', data: { event: 'session_ready', protocolVersion: '2025-11-25' } };

interface Strict extends TestServer {
  tell(data: unknown): void;
  /** Resolves when the tool `wait` runs, and when it was given up. */
  readonly waiting: { begun: Promise<void>; givenUp: Promise<void> };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

async function strict(limits: Partial<StreamLimits> = {}): Promise<Strict> {
  const watchers = new Set<(message: LogMessage) => void>();
  const logs: Logs = {
    watch: (tell) => {
      watchers.add(tell);
      return () => void watchers.delete(tell);
    },
  };
  const begun = deferred();
  const givenUp = deferred();
  const surface: Surface<undefined> = {
    id: 'strict',
    instructions: '',
    tools: [
      defineToolFor<undefined>()({
        name: 'echo',
        title: 'Echo',
        description: '',
        effect: 'read',
        input: () => z.strictObject({}),
        run: async () => ({ value: { said: 'echo' } }),
      }),
      defineToolFor<undefined>()({
        name: 'wait',
        title: 'Wait',
        description: '',
        effect: 'read',
        input: () => z.strictObject({}),
        async run(_, { signal }) {
          begun.resolve();
          if (!signal.aborted) await once(signal, 'abort');
          givenUp.resolve();
          return { value: { said: 'too late' } };
        },
      }),
    ],
    renderError: ({ message }) => ({ content: [{ type: 'text', text: message }], isError: true }),
  };
  const server = await serve({
    strict: { ...STREAM_LIMITS, ...limits },
    createServer: () =>
      createServer({
        limited: { surface, withheld: new Map() },
        backend: undefined,
        logs,
        version: '0',
        log: silentLog,
      }),
  });
  const tell = (data: unknown) => {
    for (const watcher of watchers) watcher({ level: 'info', data });
  };
  return { ...server, tell, waiting: { begun: begun.promise, givenUp: givenUp.promise } };
}

async function begin({ url }: TestServer): Promise<WireSession> {
  const opened = await post(url, initialize());
  await opened.text();
  return sessionWith(url, opened.headers.get('mcp-session-id') ?? '');
}

async function said(events: AsyncGenerator<StreamEvent>): Promise<[string | undefined, unknown]> {
  const { id, message } = await nextEvent(events);
  return [id, message?.params.data];
}

/** A stream past its primer and the session's readiness. */
async function listening(session: WireSession, signal?: AbortSignal) {
  const events = eventsOf(await session.listen(undefined, signal));
  await nextEvent(events);
  await nextEvent(events);
  return events;
}

async function closed(): Promise<void> {
  // The server hears of a socket that was closed a little later.
  await sleep(300);
}

describe('initialize', () => {
  it.each(['2025-06-18', '2026-07-28', '2024-01-01', undefined, 7])(
    'refuses %s and names what there is',
    async (version) => {
      const { url, endpoint } = await strict();
      const message = initialize() as Message;
      message.params.protocolVersion = version;
      const answer = await post(url, message);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('mcp-session-id')).toBeNull();
      expect(await answer.json()).toEqual({
        jsonrpc: '2.0',
        id: 'initialize',
        error: {
          code: -32602,
          message: 'Unsupported protocol version',
          data: { supported: ['2025-11-25'], requested: version ?? null },
        },
      });
      expect(endpoint.sessions).toBe(0);
    },
  );

  it('opens a session whose id cannot be guessed, and once only', async () => {
    const server = await strict();
    const session = await openSession(server);
    expect(Buffer.from(session.id, 'base64url').length).toBeGreaterThanOrEqual(16);
    const again = await session.send(initialize());
    expect(await again.json()).toMatchObject({ id: 'initialize', error: { code: -32600 } });
    expect((await messagesOf(await session.send(PING)))[0]).toMatchObject({ id: 1, result: {} });
  });

  it('comes before everything but ping', async () => {
    const session = await begin(await strict());
    expect((await messagesOf(await session.send(PING)))[0]).toMatchObject({ result: {} });
    const early = await session.send({ id: 2, method: 'tools/list' });
    expect([early.status, await early.json()]).toEqual([
      200,
      { jsonrpc: '2.0', id: 2, error: { code: -32600, message: 'Session not initialized' } },
    ]);
    expect((await session.listen()).status).toBe(400);
    expect((await session.send({ method: 'notifications/initialized' })).status).toBe(202);
    const [listed] = await messagesOf(await session.send({ id: 3, method: 'tools/list' }));
    expect(listed.result.tools).toHaveLength(2);
  });
});

describe('a newer client', () => {
  it('gets an error that there is no server/discover', async () => {
    const { url } = await strict();
    const answer = await modern(url, 'server/discover');
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } },
    ]);
  });

  it('goes back by itself', async () => {
    const { url } = await strict();
    const client = new Client({ name: 'new', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    onTestFinished(() => client.close());
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect(await client.callTool({ name: 'echo' })).toMatchObject({ content: [{ type: 'text' }] });
  });

  it('is not answered in its own version', async () => {
    const { url } = await strict();
    expect((await modern(url, 'tools/list')).status).toBe(400);
  });
});

describe('a request', () => {
  it.each([
    ['a batch', [{ jsonrpc: '2.0', ...PING }], {}, 400, -32600],
    ['no message', { hello: 1 }, {}, 400, -32600],
    ['text', 'hello', {}, 400, -32600],
    ['without JSON', { jsonrpc: '2.0', ...PING }, { Accept: 'text/event-stream' }, 406, -32000],
    ['without streams', { jsonrpc: '2.0', ...PING }, { Accept: 'application/json' }, 406, -32000],
    ['another version', { jsonrpc: '2.0', ...PING }, { 'MCP-Protocol-Version': '2025-06-18' }, 400, -32000],
    ['no session', { jsonrpc: '2.0', ...PING }, {}, 400, -32000],
    ['an unknown session', { jsonrpc: '2.0', ...PING }, { 'Mcp-Session-Id': 'x' }, 404, -32001],
  ])('is refused: %s', async (_, body, headers, status, code) => {
    const { url } = await strict();
    const answer = await post(url, body, headers as Record<string, string>);
    expect([answer.status, ((await answer.json()) as Message).error.code]).toEqual([status, code]);
  });

  it('of an unknown method is answered so', async () => {
    const session = await openSession(await strict());
    const [answer] = await messagesOf(await session.send({ id: 1, method: 'no/such' }));
    expect(answer.error.code).toBe(-32601);
  });

  it('to end the session has no more to say', async () => {
    const server = await strict();
    const session = await openSession(server);
    const events = await listening(session);
    expect((await session.end()).status).toBe(204);
    expect((await events.next()).done).toBe(true);
    expect((await session.send(PING)).status).toBe(404);
    expect(server.endpoint.sessions).toBe(0);
  });

  it('is taken without an answer when it wants none', async () => {
    const session = await openSession(await strict());
    const taken = await session.send({
      method: 'notifications/progress',
      params: { progressToken: 1, progress: 1 },
    });
    expect(taken.status).toBe(202);
    expect((await session.send({ id: 'unasked', result: {} })).status).toBe(202);
  });
});

describe('the stream', () => {
  it('begins with a primer, then says once that the session is ready', async () => {
    const server = await strict();
    const session = await openSession(server);
    const first = abortable();
    const events = eventsOf(await session.listen(undefined, first.signal));
    expect(await nextEvent(events)).toEqual({ id: 'g1.0', retry: '3000' });
    expect((await nextEvent(events)).message.params).toMatchObject(READY);
    first.abort();
    await closed();
    const again = eventsOf(await session.listen());
    expect(await nextEvent(again)).toEqual({ id: 'g2.1', retry: '3000' });
    server.tell('next');
    expect(await said(again)).toEqual(['g2.2', 'next']);
  });

  it('is for clients that accept event streams', async () => {
    const { url } = await strict();
    const session = await openSession({ url });
    const refused = await fetch(url, { headers: { ...session.headers, Accept: 'application/json' } });
    expect(refused.status).toBe(406);
  });

  it('keeps messages while no client listens', async () => {
    const server = await strict();
    const session = await openSession(server);
    server.tell('one');
    server.tell('two');
    const events = await listening(session);
    expect([await said(events), await said(events)]).toEqual([
      ['g1.2', 'one'],
      ['g1.3', 'two'],
    ]);
  });

  it('goes on after the last event that was seen, without a primer, and twice the same', async () => {
    const server = await strict();
    const session = await openSession(server);
    const first = abortable();
    const events = await listening(session, first.signal);
    server.tell('one');
    server.tell('two');
    await said(events);
    first.abort();
    await closed();
    server.tell('three');
    for (let round = 0; round < 2; round++) {
      const broken = abortable();
      const resumed = eventsOf(await session.listen('g1.2', broken.signal));
      expect([await said(resumed), await said(resumed)]).toEqual([
        ['g1.3', 'two'],
        ['g1.4', 'three'],
      ]);
      broken.abort();
      await closed();
    }
    const live = eventsOf(await session.listen('g1.4'));
    server.tell('four');
    expect(await said(live)).toEqual(['g1.5', 'four']);
  });

  it('says how much is lost for good', async () => {
    const server = await strict();
    const session = await openSession(server);
    const first = abortable();
    await listening(session, first.signal);
    first.abort();
    await closed();
    for (let count = 1; count <= 300; count++) server.tell(count);
    const events = eventsOf(await session.listen('g1.1'));
    const gap = await nextEvent(events);
    expect(gap.id).toBeUndefined();
    expect(gap.message.params).toMatchObject({ level: 'warning', data: { event: 'replay_gap', missed: 44 } });
    const heard: unknown[] = [];
    for (let count = 0; count < 256; count++) heard.push((await said(events))[1]);
    expect(heard).toEqual(Array.from({ length: 256 }, (_, index) => index + 45));
  });

  it('forgets what is too old, and what is too much', async () => {
    const server = await strict({ ageMs: 50, bytes: 10_000 });
    const session = await openSession(server);
    const first = abortable();
    await listening(session, first.signal);
    first.abort();
    await closed();
    server.tell('old');
    await sleep(120);
    server.tell('x'.repeat(20_000));
    const events = eventsOf(await session.listen('g1.1'));
    expect((await said(events))[1]).toEqual({ event: 'replay_gap', missed: 2 });
  });

  it.each(['g1.99', 'g9.0', 'x', 'g1', 'g1.1.1', 'g01.0', '-1', '7', `g${'9'.repeat(30)}.0`])(
    'does not go on from %s',
    async (id) => {
      const session = await openSession(await strict());
      await listening(session);
      expect((await session.listen(id)).status).toBe(400);
    },
  );

  it('is one at a time, and goes over to a client that knows its last event', async () => {
    const server = await strict();
    const session = await openSession(server);
    const events = await listening(session);
    expect((await session.listen()).status).toBe(409);
    const taken = eventsOf(await session.listen('g1.1'));
    server.tell('for one');
    expect(await said(taken)).toEqual(['g1.2', 'for one']);
    expect((await events.next()).done).toBe(true);
  });

  it('shows now and then that it lives', async () => {
    const session = await openSession(await strict({ keepAliveMs: 30 }));
    const events = await listening(session);
    expect(await nextEvent(events)).toEqual({ comment: 'keepalive' });
    expect(await nextEvent(events)).toEqual({ comment: 'keepalive' });
  });

  it('of an answer has ids of its own, to go on from', async () => {
    const session = await openSession(await strict());
    const events = eventsOf(await session.send(toolCall(1, 'echo')));
    const primer = await nextEvent(events);
    expect(primer).toMatchObject({ id: expect.stringMatching(/^p\d+\.0$/), retry: '3000' });
    expect((await nextEvent(events)).id).toBe(primer.id?.replace('.0', '.1'));
    const again = await messagesOf(await session.listen(primer.id));
    expect(again).toMatchObject([{ id: 1, result: {} }]);
  });
});

describe('a request given up', () => {
  it('is answered, its work aborted, and its stream ended', async () => {
    const server = await strict();
    const session = await openSession(server);
    const waiting = session.send(toolCall(5, 'wait'));
    await server.waiting.begun;
    const params = { requestId: 5, reason: 'enough' };
    expect((await session.send({ method: 'notifications/cancelled', params })).status).toBe(202);
    expect(await messagesOf(await waiting)).toEqual([
      {
        jsonrpc: '2.0',
        id: 5,
        error: { code: -32800, message: 'Request cancelled', data: { reason: 'enough' } },
      },
    ]);
    await server.waiting.givenUp;
    expect((await messagesOf(await session.send(PING)))[0]).toMatchObject({ result: {} });
  });

  it.each([
    ['unknown', { requestId: 99 }],
    ['over', { requestId: 1 }],
    ['of another type', { requestId: { a: 1 } }],
    ['without an id', {}],
    ['the initialization', { requestId: 'initialize' }],
  ])('is let be: %s', async (_, params) => {
    const session = await openSession(await strict());
    await messagesOf(await session.send(PING));
    const cancelled = await session.send({ method: 'notifications/cancelled', params });
    expect(cancelled.status).toBe(202);
    expect(await messagesOf(await session.send(toolCall(2, 'echo')))).toMatchObject([{ id: 2, result: {} }]);
  });

  it('is not that of another session', async () => {
    const server = await strict();
    const [session, other] = [await openSession(server), await openSession(server)];
    const waiting = session.send(toolCall(5, 'wait'));
    await server.waiting.begun;
    await other.send({ method: 'notifications/cancelled', params: { requestId: 5 } });
    const given = vi.fn();
    void server.waiting.givenUp.then(given);
    await messagesOf(await other.send(PING));
    expect(given).not.toHaveBeenCalled();
    await session.send({ method: 'notifications/cancelled', params: { requestId: 5 } });
    expect((await messagesOf(await waiting))[0].error.code).toBe(-32800);
  });
});
