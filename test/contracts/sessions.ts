/** The contract of sessions over the wire, wherever they are kept, and whichever server a request reaches. */
import type { McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { WATCHED } from '../conformance/resources.ts';
import type { TestServer, TestServerOptions } from '../conformance/server.ts';
import { text } from '../conformance/tools.ts';
import {
  abortable,
  allEvents,
  asPrincipal,
  eventsOf,
  initialize,
  messagesOf,
  nextEvent,
  openSession,
  post,
  sessionWith,
  toolCall,
} from '../conformance/wire.ts';
import { eventually } from '../kit/eventually.ts';

const PING = { id: 1, method: 'ping' };
const SUBSCRIBE = { id: 's', method: 'resources/subscribe', params: { uri: WATCHED } };
const CHANGES = 20;
const UPDATED = { method: 'notifications/resources/updated', params: { uri: WATCHED } };

export function testSessionContract(
  serve: (options?: TestServerOptions) => Promise<Pick<TestServer, 'url' | 'changed'>>,
  // A server that has not heard yet that another one speaks, or that nobody subscribes any more, tells of a change, too.
  { isToldTwice }: { readonly isToldTwice: boolean },
): void {
  it('are used by their owner alone, until they end', async () => {
    const server = await serve();
    const hers = await openSession(server, { principal: 'alice' });
    const his = sessionWith(server.url, hers.id, { principal: 'bob' });
    for (let turn = 0; turn < 3; turn++) {
      expect((await his.send(PING)).status).toBe(404);
      expect((await his.listen()).status).toBe(404);
      expect((await his.end()).status).toBe(404);
      expect(await messagesOf(await hers.send(PING))).toMatchObject([{ id: 1, result: {} }]);
    }
    const stream = await hers.listen();
    expect((await hers.end()).status).toBe(200);
    expect(await messagesOf(stream)).toEqual([]);
    for (let turn = 0; turn < 3; turn++) expect((await hers.send(PING)).status).toBe(404);
  });

  it('know what their client said of itself when they began', async () => {
    const server = await serve({ extend: introducing });
    const session = await openSession(server);
    for (let turn = 0; turn < 3; turn++)
      expect(await messagesOf(await session.send(toolCall(turn, 'client')))).toMatchObject([
        { result: { content: [{ text: '{"name":"wire","version":"1"}' }] } },
      ]);
  });

  it('refuse a second request with the id of one that runs, and the session is not begun twice', async () => {
    const { tool, answer } = answeredLater();
    const session = await openSession(await serve({ extend: tool }));
    const first = await session.send(toolCall(7, 'later'));
    for (let turn = 0; turn < 2; turn++) {
      const second = await session.send(toolCall(7, 'later'));
      expect([second.status, await second.json()]).toMatchObject([400, { id: 7, error: { code: -32600 } }]);
    }
    expect((await session.send(initialize())).status).toBe(400);
    answer();
    expect(await messagesOf(first)).toMatchObject([{ id: 7, result: {} }]);
  });

  it('tell of every change on their one stream, with every event once after a break', async () => {
    const server = await serve();
    const session = await openSession(server);
    await messagesOf(await session.send(SUBSCRIBE));
    const broken = abortable();
    const events = eventsOf(await session.listen(undefined, broken.signal));
    for (let turn = 0; turn < 2; turn++) expect((await session.listen()).status).toBe(409);
    await nextEvent(events);
    // More than are written down before the client comes back.
    for (let count = 1; count < CHANGES; count++) server.changed(WATCHED);
    const { id } = await nextEvent(events);
    broken.abort();
    server.changed(WATCHED);
    const resumed = await eventually(async () => {
      const response = await session.listen(id);
      expect(response.status).toBe(200);
      return eventsOf(response);
    });
    const ids = [id];
    for (let count = 1; count < CHANGES; count++) {
      const event = await nextEvent(resumed);
      expect(event.message).toMatchObject(UPDATED);
      ids.push(event.id);
    }
    await messagesOf(await session.send({ ...SUBSCRIBE, method: 'resources/unsubscribe' }));
    server.changed(WATCHED);
    await session.end();
    for await (const event of resumed) {
      if (!event.message) continue;
      expect(event.message).toMatchObject(UPDATED);
      ids.push(event.id);
    }
    expect(new Set(ids).size).toBe(ids.length);
    if (!isToldTwice) expect(ids).toHaveLength(CHANGES);
  });

  it('bring the rest of an answer whose stream broke, each event once', async () => {
    const { tool, answer } = answeredLater();
    const session = await openSession(await serve({ extend: tool }));
    const broken = abortable();
    const events = eventsOf(
      await session.send(toolCall(7, 'later', { progressToken: 'mine' }), broken.signal),
    );
    const { id: primer } = await nextEvent(events);
    const { id } = await nextEvent(events);
    broken.abort();
    for (const [after, count] of [
      [primer, 3],
      [id, 2],
    ] as const) {
      const resumed = await eventually(async () => {
        const response = await session.listen(after);
        expect(response.status).toBe(200);
        return response;
      });
      answer();
      const messages = (await allEvents(resumed)).map(({ message }) => message);
      expect(messages.slice(-2)).toMatchObject([{ params: { progress: 2 } }, { id: 7, result: {} }]);
      expect(messages).toHaveLength(count);
    }
    const other = await openSession(await serve());
    expect((await other.listen(id)).status).toBe(400);
  });

  it('ask their client, whichever server hears the answer', async () => {
    const server = await serve();
    const opened = await post(server.url, {
      ...initialize(),
      params: { ...initialize().params, capabilities: { elicitation: {}, sampling: {} } },
    });
    await opened.text();
    const session = sessionWith(server.url, opened.headers.get('mcp-session-id') ?? '');
    await session.send({ method: 'notifications/initialized' });
    for (let turn = 0; turn < 3; turn++) {
      const call = toolCall(`q${turn}`, 'test_elicitation');
      const asked = { ...call, params: { ...call.params, arguments: { message: 'Who?' } } };
      const events = eventsOf(await session.send(asked));
      await nextEvent(events);
      const { message: question } = await nextEvent(events);
      expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Who?' } });
      // The turn of another server.
      await messagesOf(await session.send(PING));
      const result = { action: 'accept', content: { username: 'u', email: 'e' } };
      expect((await session.send({ id: question.id, result })).status).toBe(202);
      const { message } = await nextEvent(events);
      expect(JSON.stringify(message)).toContain('accept');
    }
  });

  it('give up a request that its client cancels', async () => {
    const { tool, signals } = waiting();
    const session = await openSession(await serve({ extend: tool }));
    for (let turn = 1; turn <= 3; turn++) {
      await session.send(toolCall(`w${turn}`, 'wait'));
      await eventually(() => expect(signals).toHaveLength(turn));
      const params = { requestId: `w${turn}` };
      expect((await session.send({ method: 'notifications/cancelled', params })).status).toBe(202);
      await eventually(() => expect(signals.at(-1)?.aborted).toBe(true));
      await messagesOf(await session.send(PING));
    }
  });

  it('are bounded for all together, and fair to each caller', async () => {
    const server = await serve({ limits: { sessions: 2 } });
    const hers = [
      await openSession(server, { principal: 'alice' }),
      await openSession(server, { principal: 'alice' }),
    ];
    for (const session of hers) await session.listen();
    expect((await post(server.url, initialize(), asPrincipal('alice'))).status).toBe(503);
    await openSession(server, { principal: 'bob' });
    await openSession(server, { principal: 'bob' });
    const left = await Promise.all(hers.map(async (session) => (await session.send(PING)).status));
    expect(left.sort()).toEqual([200, 404]);
  });
}

/** A tool that answers when the test lets it, with progress before and after. */
function answeredLater() {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const tool = (mcp: McpServer) => {
    mcp.registerTool('later', { description: 'Takes its time' }, async ({ mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      const report = async (progress: number) => {
        if (progressToken !== undefined)
          await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
      };
      await report(1);
      await answered;
      await report(2);
      return text('At last');
    });
  };
  return { tool, answer };
}

/** A tool that never answers, and the signals of its calls. */
function waiting() {
  const signals: AbortSignal[] = [];
  const tool = (mcp: McpServer) => {
    mcp.registerTool('wait', { description: 'Waits to be given up' }, async ({ mcpReq }) => {
      signals.push(mcpReq.signal);
      await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve));
      return text('Given up');
    });
  };
  return { tool, signals };
}

function introducing(mcp: McpServer): void {
  mcp.registerTool('client', { description: 'Who calls' }, async () =>
    text(JSON.stringify(mcp.server.getClientVersion())),
  );
}
