/** Sessions in memory, and those that two servers share by a database. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openReplicaHub } from '../../src/mcp/http/replicas/hub.ts';
import { GET_STREAM } from '../../src/mcp/http/replicas/store.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openHubs, serveOn } from '../conformance/replicas.ts';
import { WATCHED } from '../conformance/resources.ts';
import { eventsOf, messagesOf, nextEvent, openSession, serve, sessionWith } from '../conformance/wire.ts';
import { describeWith } from '../kit/needs.ts';
import { postgresNeed } from '../kit/postgres.ts';
import { testSessionContract } from './sessions.ts';

describe('sessions in memory', () => testSessionContract(serve, { isToldTwice: false }));

describeWith(postgresNeed, 'sessions in PostgreSQL', () => {
  let opened: Awaited<ReturnType<typeof openHubs>>;
  beforeAll(async () => {
    opened = await openHubs();
  });
  afterAll(() => opened.close());

  testSessionContract((options) => serveOn(opened.hubs, options), { isToldTwice: true });

  it('go on when a server ends in order', async () => {
    const { servers } = await serveOn(opened.hubs);
    const [first, second] = servers;
    if (!first || !second) throw new Error('two servers are needed');
    const session = await openSession(first);
    const subscribe = { id: 1, method: 'resources/subscribe', params: { uri: WATCHED } };
    await messagesOf(await session.send(subscribe));
    const events = eventsOf(await session.listen());
    const { id } = await nextEvent(events);
    await first.close();
    const elsewhere = sessionWith(second.url, session.id);
    const resumed = eventsOf(await elsewhere.listen(id));
    second.changed(WATCHED);
    expect(await nextEvent(resumed)).toMatchObject({ message: { params: { uri: WATCHED } } });
  });

  it('have one stream, also after it was opened again on the server that had it', async () => {
    const { servers } = await serveOn(opened.hubs);
    const [first, second] = servers;
    if (!first || !second) throw new Error('two servers are needed');
    const session = await openSession(first);
    const broken = eventsOf(await session.listen());
    const { id } = await nextEvent(broken);
    const resumed = await session.listen(id);
    expect(resumed.status).toBe(200);
    expect((await broken.next()).done).toBe(true);
    await sleep(100);
    expect((await sessionWith(second.url, session.id).listen()).status).toBe(409);
  });

  it('refuse a request whose id is too long to be shared, and go on', async () => {
    const { servers } = await serveOn(opened.hubs);
    const session = await openSession(servers[0] ?? { url: '' });
    const id = randomBytes(4_000).toString('base64url');
    const refused = await session.send({ id, method: 'ping' });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { code: -32_600, message: expect.stringContaining('longer than 1000 bytes') },
    });
    expect(await messagesOf(await session.send({ id: id.slice(0, 900), method: 'ping' }))).toHaveLength(1);
  });

  it('keep the order of messages when a server speaks again that did not notice another one in between', async () => {
    const [one, two] = opened.hubs.map(({ database }) => {
      const hub = openReplicaHub(database, { log: silentLog });
      onTestFinished(() => hub.close());
      return hub.endpoint('/order');
    });
    if (!one || !two) throw new Error('two servers are needed');
    const [key, owner] = ['order', 'alex'];
    await one.open({ key, owner, opening: {} }, 10);
    await one.listen(key, owner, {});
    expect(await one.push(key, 1, '"a"')).toBe(true);
    await two.listen(key, owner, { takesOver: { number: 1, seq: 1 } });
    expect(await two.push(key, 2, '"b"')).toBe(true);
    await one.listen(key, owner, { takesOver: { number: 1, seq: 2 } });
    // It was begun before the other one spoke.
    expect(await one.push(key, 2, '"late"')).toBe(false);
    expect(await one.push(key, 3, '"c"')).toBe(true);
    expect(await one.push(key, 3, '"c"')).toBe(true);
    const events = await two.after(key, GET_STREAM, 0);
    expect(events.map(({ seq, message }) => [seq, message])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ]);
  });
});
