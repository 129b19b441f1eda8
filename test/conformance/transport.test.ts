/** The endpoint over real sockets: streams that break and go on, and calls that are given up. */
import type { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { WATCHED } from './resources.ts';
import { text } from './tools.ts';
import {
  abortable,
  allEvents,
  eventsOf,
  messagesOf,
  modern,
  nextEvent,
  openSession,
  serve,
  toolCall,
} from './wire.ts';

const SUBSCRIBE = { id: 'subscribe', method: 'resources/subscribe', params: { uri: WATCHED } };
const UPDATED = { method: 'notifications/resources/updated', params: { uri: WATCHED } };

describe('a stream of the legacy era', () => {
  it('begins with an event to go on from, and says when to come back', async () => {
    const session = await openSession(await serve());
    const [primer, answer] = await allEvents(await session.send(toolCall(1, 'test_simple_text')));
    expect(primer).toEqual({ id: expect.any(String), retry: '1000' });
    expect(answer).toMatchObject({ id: expect.any(String), message: { id: 1 } });
  });

  it('for what is said unasked begins with such an event too', async () => {
    const session = await openSession(await serve());
    const response = await session.listen();
    expect(await nextEvent(eventsOf(response))).toEqual({ id: expect.any(String), retry: '1000' });
  });

  it('begins with the answer for clients that do not know empty events', async () => {
    const session = await openSession(await serve(), { version: '2025-06-18' });
    const [first] = await allEvents(await session.send(toolCall(1, 'test_simple_text')));
    expect(first).toMatchObject({ message: { id: 1 } });
  });

  it('for what is said unasked begins with that, for clients that do not know empty events', async () => {
    const server = await serve();
    const session = await openSession(server, { version: '2025-06-18' });
    await messagesOf(await session.send(SUBSCRIBE));
    const events = eventsOf(await session.listen());
    server.changed(WATCHED);
    expect(await nextEvent(events)).toMatchObject({ message: UPDATED });
  });

  it('sends keep-alive comments, so that no proxy takes it for dead', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const session = await openSession(await serve());
    const response = await session.listen();
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const events = eventsOf(response);
    await nextEvent(events);
    vi.advanceTimersByTime(15_000);
    expect(await nextEvent(events)).toEqual({ comment: 'keepalive' });
  });

  it('is one of its kind in a session', async () => {
    const session = await openSession(await serve());
    expect((await session.listen()).status).toBe(200);
    expect((await session.listen()).status).toBe(409);
  });

  it('tells of what was subscribed to, and of nothing else', async () => {
    const server = await serve();
    const [session, other] = [await openSession(server), await openSession(server)];
    await messagesOf(await session.send(SUBSCRIBE));
    const [heard, quiet] = [eventsOf(await session.listen()), await other.listen()];
    server.changed('test://static-text');
    server.changed(WATCHED);
    expect(await nextEvent(heard)).toEqual({ id: expect.any(String), retry: '1000' });
    expect(await nextEvent(heard)).toMatchObject({ message: UPDATED });
    await other.end();
    expect(await messagesOf(quiet)).toEqual([]);
  });
});

it('an answer of the modern era that is whole says how long it is, and comes in one piece', async () => {
  const { url } = await serve();
  const answer = await modern(url, 'tools/call', { params: { name: 'test_simple_text', arguments: {} } });
  expect(answer.headers.get('content-type')).toContain('application/json');
  const text = await answer.text();
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  expect(answer.headers.get('transfer-encoding')).toBeNull();
  expect(JSON.parse(text)).toMatchObject({ id: 1, result: { content: [{ type: 'text' }] } });
});

describe('a stream that broke', () => {
  it('goes on after the last event its client saw', async () => {
    const server = await serve();
    const session = await openSession(server);
    await messagesOf(await session.send(SUBSCRIBE));
    const broken = abortable();
    const events = eventsOf(await session.listen(undefined, broken.signal));
    server.changed(WATCHED);
    await nextEvent(events);
    const { id } = await nextEvent(events);
    broken.abort();
    server.changed(WATCHED);
    server.changed(WATCHED);

    const resumed = await eventually(async () => {
      const response = await session.listen(id);
      expect(response.status).toBe(200);
      return eventsOf(response);
    });
    server.changed(WATCHED);
    const ids = [await nextEvent(resumed), await nextEvent(resumed), await nextEvent(resumed)].map(
      (event) => {
        expect(event).toMatchObject({ message: UPDATED });
        return event.id;
      },
    );
    expect(new Set([id, ...ids]).size).toBe(4);
  });

  it('before anything was said goes on from its first event, and gets no event twice or empty', async () => {
    const server = await serve();
    const session = await openSession(server);
    await messagesOf(await session.send(SUBSCRIBE));
    const streamThatBreaks = async () => {
      const broken = abortable();
      const response = await eventually(async () => {
        const opened = await session.listen(undefined, broken.signal);
        expect(opened.status).toBe(200);
        return opened;
      });
      const { id } = await nextEvent(eventsOf(response));
      broken.abort();
      return id;
    };
    const first = await streamThatBreaks();
    await streamThatBreaks();
    server.changed(WATCHED);
    const resumed = await eventually(async () => {
      const response = await session.listen(first);
      expect(response.status).toBe(200);
      return eventsOf(response);
    });
    const missed = await nextEvent(resumed);
    expect(missed).toMatchObject({ message: UPDATED });
    server.changed(WATCHED);
    const next = await nextEvent(resumed);
    expect(next).toMatchObject({ message: UPDATED });
    expect(Number(next.id)).toBeGreaterThan(Number(missed.id));
  });

  it('still brings the answer of a call that went on without it', async () => {
    const { tool, answer } = answeredLater();
    const session = await openSession(await serve({ extend: tool }));
    const broken = abortable();
    const { id } = await nextEvent(eventsOf(await session.send(toolCall(7, 'later'), broken.signal)));
    broken.abort();
    answer();
    const resumed = await eventually(async () => {
      const response = await session.listen(id);
      expect(response.status).toBe(200);
      return response;
    });
    expect(await messagesOf(resumed)).toMatchObject([{ id: 7, result: { content: [{ text: 'At last' }] } }]);
  });

  it('goes on for its own session only', async () => {
    const server = await serve();
    const [session, other] = [await openSession(server), await openSession(server)];
    const [primer] = await allEvents(await session.send(toolCall(1, 'test_simple_text')));
    expect((await other.listen(primer?.id)).status).toBe(400);
  });

  it('is remembered within bounds', async () => {
    const bufferedBytes = 10_000;
    const session = await openSession(await serve({ limits: { bufferedBytes }, extend: chatter }));
    const sent = await allEvents(await session.send(toolCall(1, 'chatter', { progressToken: 1 })));
    expect(JSON.stringify(sent).length).toBeGreaterThan(5 * bufferedBytes);

    const late = await session.listen(sent[0]?.id);
    const replayed = late.ok ? await messagesOf(late) : [];
    expect(JSON.stringify(replayed).length).toBeLessThan(1.1 * bufferedBytes);

    const soon = await messagesOf(await session.listen(sent.at(-3)?.id));
    expect(soon).toEqual(sent.slice(-2).map(({ message }) => message));
  });
});

describe('a running call', () => {
  it('is given up when its client of the modern era goes away', async () => {
    const { tool, signals } = waiting();
    const { url } = await serve({ extend: tool });
    const leaving = abortable();
    const answer = modern(url, 'tools/call', { params: { name: 'wait' }, signal: leaving.signal });
    await eventually(() => expect(signals).toHaveLength(1));
    expect(signals[0]?.aborted).toBe(false);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await eventually(() => expect(signals[0]?.aborted).toBe(true));
  });

  it('is given up when its stream, already begun, is closed', async () => {
    const { tool, signals } = waiting();
    const { url } = await serve({ extend: tool });
    const leaving = abortable();
    const params = { name: 'wait', _meta: { progressToken: 'p' } };
    const answer = await modern(url, 'tools/call', { params, signal: leaving.signal });
    expect(await nextEvent(eventsOf(answer))).toMatchObject({
      message: { method: 'notifications/progress' },
    });
    leaving.abort();
    await eventually(() => expect(signals[0]?.aborted).toBe(true));
  });

  it('goes on when its client of the legacy era goes away, until it cancels', async () => {
    const { tool, signals } = waiting();
    const session = await openSession(await serve({ extend: tool }));
    const leaving = abortable();
    await session.send(toolCall(5, 'wait'), leaving.signal);
    await eventually(() => expect(signals).toHaveLength(1));
    leaving.abort();
    await (await session.send({ id: 6, method: 'ping' })).text();
    expect(signals[0]?.aborted).toBe(false);

    const cancelled = { method: 'notifications/cancelled', params: { requestId: 5 } };
    expect((await session.send(cancelled)).status).toBe(202);
    await eventually(() => expect(signals[0]?.aborted).toBe(true));
  });

  it('is given up with its session', async () => {
    const { tool, signals } = waiting();
    const session = await openSession(await serve({ extend: tool }));
    await session.send(toolCall(5, 'wait'));
    await eventually(() => expect(signals).toHaveLength(1));
    await session.end();
    await eventually(() => expect(signals[0]?.aborted).toBe(true));
  });
});

/** A tool that never answers, and the signals of its calls. */
function waiting() {
  const signals: AbortSignal[] = [];
  const tool = (mcp: McpServer) => {
    mcp.registerTool('wait', { description: 'Waits to be given up' }, async ({ mcpReq }) => {
      signals.push(mcpReq.signal);
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
      await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve));
      return text('Given up');
    });
  };
  return { tool, signals };
}

/** A tool that answers when the test lets it. */
function answeredLater() {
  const { promise, resolve } = withResolvers();
  const tool = (mcp: McpServer) => {
    mcp.registerTool('later', { description: 'Takes its time' }, async () => {
      await promise;
      return text('At last');
    });
  };
  return { tool, answer: resolve };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** A tool that says much more than it has to. */
function chatter(mcp: McpServer): void {
  mcp.registerTool('chatter', { description: 'Talks' }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0;
    for (let progress = 0; progress < 100; progress++)
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, message: 'x'.repeat(1_000) },
      });
    return text('Done talking');
  });
}
