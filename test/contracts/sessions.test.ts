/** Sessions in memory, and those that two servers share by a database. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHubs, serveOn } from '../conformance/replicas.ts';
import { WATCHED } from '../conformance/resources.ts';
import { eventsOf, messagesOf, nextEvent, openSession, serve, sessionWith } from '../conformance/wire.ts';
import { describeWith } from '../kit/needs.ts';
import { postgresNeed } from '../kit/postgres.ts';
import { testSessionContract } from './sessions.ts';

describe('sessions in memory', () => testSessionContract(serve));

describeWith(postgresNeed, 'sessions in PostgreSQL', () => {
  let opened: Awaited<ReturnType<typeof openHubs>>;
  beforeAll(async () => {
    opened = await openHubs();
  });
  afterAll(() => opened.close());

  testSessionContract((options) => serveOn(opened.hubs, options));

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
});
