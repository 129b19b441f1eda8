/** Sessions that two servers share, when one of them or the database is away for a while. */
import type { McpServer } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { openHubs, serveOn } from '../conformance/replicas.ts';
import { WATCHED } from '../conformance/resources.ts';
import {
  abortable,
  eventsOf,
  messagesOf,
  nextEvent,
  openSession,
  sessionWith,
  toolCall,
} from '../conformance/wire.ts';
import { describeWith } from '../kit/needs.ts';
import { postgresNeed } from '../kit/postgres.ts';

describeWith(postgresNeed, 'sessions in PostgreSQL', () => {
  it('are told of everything by a server that cannot know what has changed since the one before was gone', async () => {
    const { hubs, close } = await openHubs();
    onTestFinished(close);
    const { servers } = await serveOn(hubs);
    const [first, second] = servers;
    if (!first || !second) throw new Error('two servers are needed');
    const session = await openSession(first);
    const subscribe = { id: 1, method: 'resources/subscribe', params: { uri: WATCHED } };
    await messagesOf(await session.send(subscribe));
    const { id } = await nextEvent(eventsOf(await session.listen()));
    await first.close();
    await hubs[0]?.replicas.close();
    // It was started a moment ago.
    const resumed = eventsOf(await sessionWith(second.url, session.id).listen(id));
    expect(await nextEvent(resumed)).toMatchObject({ message: { params: { uri: WATCHED } } });
  });

  it('are told by the next server what the one in between had still to tell', async () => {
    const { hubs, close } = await openHubs(3);
    onTestFinished(close);
    const { servers } = await serveOn(hubs);
    const [first, second, third] = servers;
    if (!first || !second || !third) throw new Error('three servers are needed');
    const session = await openSession(first);
    const subscribe = { id: 1, method: 'resources/subscribe', params: { uri: WATCHED } };
    await messagesOf(await session.send(subscribe));
    const { id } = await nextEvent(eventsOf(await session.listen()));
    await first.close();
    await hubs[0]?.replicas.close();
    second.changed(WATCHED);
    await sessionWith(second.url, session.id).listen(id);
    const resumed = eventsOf(await sessionWith(third.url, session.id).listen(id));
    expect(await nextEvent(resumed)).toMatchObject({ message: { params: { uri: WATCHED } } });
  });

  it('are told of what happened before the last server spoke, when that one was gone before it could tell', async () => {
    let isMute = false;
    const { hubs, close } = await openHubs(3, (database, at) => ({
      ...database,
      repeatable: (text, values) =>
        at === 1 && isMute && text.includes('from quire.mcp_event')
          ? Promise.reject(new Error('away'))
          : database.repeatable(text, values),
    }));
    onTestFinished(close);
    const { servers } = await serveOn(hubs);
    const [first, second, third] = servers;
    if (!first || !second || !third) throw new Error('three servers are needed');
    const session = await openSession(first);
    const subscribe = { id: 1, method: 'resources/subscribe', params: { uri: WATCHED } };
    await messagesOf(await session.send(subscribe));
    const { id } = await nextEvent(eventsOf(await session.listen()));
    await first.close();
    await hubs[0]?.replicas.close();
    for (const server of [second, third]) server.changed(WATCHED);
    isMute = true;
    await sessionWith(second.url, session.id).listen(id);
    await second.close();
    await hubs[1]?.replicas.close();
    // The second server lived for some time after the change.
    await hubs[2]?.database.query(
      `update quire.mcp_replica set seen_at = now() + interval '14 seconds'
       where id = (select speaker from quire.mcp_session)`,
    );
    const resumed = eventsOf(await sessionWith(third.url, session.id).listen(id));
    expect(await nextEvent(resumed)).toMatchObject({ message: { params: { uri: WATCHED } } });
  });

  it('give an answer to a client that lost its stream, although the database was away when it was ready', async () => {
    let isAway = false;
    let refused = 0;
    const { hubs, close } = await openHubs(2, (database, at) => ({
      ...database,
      repeatable: (text, values) => {
        if (at !== 0 || !isAway || !text.includes('mcp_event')) return database.repeatable(text, values);
        refused++;
        return Promise.reject(new Error('away'));
      },
    }));
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const extend = (mcp: McpServer) =>
      void mcp.registerTool('wait', { description: 'Waits' }, async () => {
        await finished;
        return { content: [{ type: 'text', text: 'Done' }] };
      });
    onTestFinished(close);
    const { servers } = await serveOn(hubs, { extend });
    const [first, second] = servers;
    if (!first || !second) throw new Error('two servers are needed');
    const session = await openSession(first);
    const broken = abortable();
    const events = eventsOf(await session.send(toolCall('a', 'wait'), broken.signal));
    const { id } = await nextEvent(events);
    broken.abort();
    isAway = true;
    finish();
    await expect.poll(() => refused).toBeGreaterThan(0);
    isAway = false;
    const resumed = await messagesOf(await sessionWith(second.url, session.id).listen(id));
    expect(resumed).toMatchObject([{ id: 'a', result: {} }]);
  });

  it('are listened to on another server after their stream was closed while the database was away', async () => {
    let isAway = false;
    let refused = 0;
    const { hubs, close } = await openHubs(2, (database, at) => ({
      ...database,
      repeatable: (text, values) => {
        if (at !== 0 || !isAway || !text.includes('listener = case'))
          return database.repeatable(text, values);
        refused++;
        return Promise.reject(new Error('away'));
      },
    }));
    onTestFinished(close);
    const { servers } = await serveOn(hubs);
    const [first, second] = servers;
    if (!first || !second) throw new Error('two servers are needed');
    const session = await openSession(first);
    const left = abortable();
    await nextEvent(eventsOf(await session.listen(undefined, left.signal)));
    isAway = true;
    left.abort();
    await expect.poll(() => refused).toBeGreaterThan(0);
    isAway = false;
    const elsewhere = sessionWith(second.url, session.id);
    await expect.poll(async () => (await elsewhere.listen()).status, { timeout: 5_000 }).toBe(200);
  });
});
