/** The requests of each era that are served and those that are refused, over real sockets. */
import { describe, expect, it } from 'vitest';
import { WATCHED } from './resources.ts';
import {
  abortable,
  envelope,
  eventsOf,
  initialize,
  LEGACY,
  MODERN,
  messagesOf,
  modern,
  nextEvent,
  openSession,
  post,
  serve,
  toolCall,
} from './wire.ts';

const UPDATED = { method: 'notifications/resources/updated', params: { uri: WATCHED } };

describe('a request of the modern era', () => {
  it.each([
    ['another method', { 'Mcp-Method': 'prompts/list' }],
    ['another tool', { 'Mcp-Name': 'test_image_content' }],
    ['another version', { 'MCP-Protocol-Version': 'v999' }],
  ])('is refused when its headers name %s', async (_, headers) => {
    const { url } = await serve();
    const answer = await modern(url, 'tools/call', { params: { name: 'test_simple_text' }, headers });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32020 } });
  });

  it('is not found when there is no such method', async () => {
    const { url } = await serve();
    for (const method of ['no/such/method', 'ping', 'initialize']) {
      const answer = await modern(url, method);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32601 } });
    }
  });

  it('needs no session and begins none', async () => {
    const server = await serve();
    const answer = await modern(server.url, 'tools/call', { params: { name: 'test_simple_text' } });
    expect(await answer.json()).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    expect(answer.headers.get('mcp-session-id')).toBeNull();
    expect(server.endpoint.sessions).toBe(0);
  });

  it('listens for changes', async () => {
    const server = await serve();
    const notifications = { resourceSubscriptions: [WATCHED] };
    const { signal } = abortable();
    const events = eventsOf(
      await modern(server.url, 'subscriptions/listen', { params: { notifications }, signal }),
    );
    expect(await nextEvent(events)).toMatchObject({
      message: { method: 'notifications/subscriptions/acknowledged' },
    });
    server.changed('test://static-text');
    server.changed(WATCHED);
    expect(await nextEvent(events)).toMatchObject({ message: UPDATED });
  });

  it('listens only as long as there is room', async () => {
    const { url } = await serve({ limits: { subscriptions: 1 } });
    const listen = () => {
      const params = { notifications: { resourcesListChanged: true } };
      return modern(url, 'subscriptions/listen', { params, signal: abortable().signal });
    };
    await nextEvent(eventsOf(await listen()));
    expect(await (await listen()).json()).toMatchObject({ error: { code: -32603 } });
  });
});

describe('an endpoint that speaks one version only', () => {
  it('refuses to begin in another one of the legacy era, and says which it speaks', async () => {
    const server = await serve({ protocol: LEGACY });
    for (const body of [initialize('2025-06-18'), initialize(MODERN), initialize('v999')]) {
      const answer = await post(server.url, body);
      const requested = body.params.protocolVersion;
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        id: 'initialize',
        error: { code: -32022, data: { supported: [LEGACY], requested } },
      });
    }
    expect(server.endpoint.sessions).toBe(0);
  });

  it('does not accept a batch under another protocol version', async () => {
    const server = await serve({ protocol: LEGACY });
    const answer = await post(server.url, [initialize('2025-03-26')]);
    expect(answer.status).toBe(400);
    expect(server.endpoint.sessions).toBe(0);
  });

  it('serves clients of that version', async () => {
    const session = await openSession(await serve({ protocol: LEGACY }));
    expect(await messagesOf(await session.send(toolCall(1, 'test_simple_text')))).toMatchObject([{ id: 1 }]);
  });

  it('refuses requests of the modern era when it is older', async () => {
    const { url } = await serve({ protocol: LEGACY });
    for (const version of [MODERN, 'v999']) {
      const answer = await modern(url, 'server/discover', { version });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({
        id: 1,
        error: { code: -32022, data: { supported: [LEGACY], requested: version } },
      });
    }
  });

  it('says of what is no message that it is none', async () => {
    const { url } = await serve({ protocol: LEGACY });
    const answer = await post(url, { hello: 'there' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: -32600 } });
  });

  it('refuses the legacy era when it is newer', async () => {
    const server = await serve({ protocol: MODERN });
    const answer = await post(server.url, initialize());
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { code: -32022, data: { supported: [MODERN], requested: LEGACY } },
    });
    expect(server.endpoint.sessions).toBe(0);
    expect((await modern(server.url, 'server/discover')).status).toBe(200);
    expect((await fetch(server.url)).status).toBe(405);
  });
});

describe('a batch', () => {
  it('is answered on one stream in the legacy era', async () => {
    const session = await openSession(await serve(), { version: '2025-03-26' });
    const answers = await messagesOf(
      await session.send([
        toolCall(1, 'test_simple_text'),
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } },
        toolCall(2, 'test_image_content'),
      ]),
    );
    expect(answers.map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  it('cannot begin a session along with something else', async () => {
    const server = await serve();
    const answer = await post(server.url, [initialize(), { jsonrpc: '2.0', id: 2, method: 'tools/list' }]);
    expect(answer.status).toBe(400);
    expect(server.endpoint.sessions).toBe(0);
  });

  it('is refused when one of it is of the modern era', async () => {
    const { url } = await serve();
    const body = [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope() } }];
    const answer = await post(url, body, { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/list' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: -32600 } });
  });
});
