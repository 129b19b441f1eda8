/** Changes while the stream of a session moves from server to server, and a server on its way does not hear that it speaks. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../src/shared/errors.ts';
import type { Database } from '../../src/state/postgres/database.ts';
import { openHubs, serveOn } from '../conformance/replicas.ts';
import { WATCHED } from '../conformance/resources.ts';
import { abortable, eventsOf, messagesOf, nextEvent, openSession, sessionWith } from '../conformance/wire.ts';
import { describeWith } from '../kit/needs.ts';
import { postgresNeed } from '../kit/postgres.ts';

/** Longer than a server looks back for a server that runs. */
const LONG_AGO_MS = 3_500;

/** A database whose answer to "this server has the stream" can be held, or lost. */
function held(database: Database) {
  let answering: (() => Promise<void>) | undefined;
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const repeatable: Database['repeatable'] = async (text, values) => {
    const rows = await database.repeatable<never>(text, values);
    if (answering && text.includes('set listener = $4, speaker = $4')) {
      asked();
      await answering();
    }
    return rows;
  };
  return {
    database: { ...database, repeatable },
    isAsked,
    hold(answer: () => Promise<void>): void {
      answering = answer;
    },
    letGo(): void {
      answering = undefined;
    },
  };
}

describeWith(postgresNeed, 'a change while a stream moves', () => {
  it.each([
    ['whose client has left', false],
    ['that never hears of it', true],
  ])('is told by or after a server %s', async (_, isLost) => {
    const through: ReturnType<typeof held>[] = [];
    const { hubs, close } = await openHubs(3, (database, at) => {
      through[at] = held(database);
      return through[at].database;
    });
    onTestFinished(close);
    const { servers } = await serveOn(hubs);
    const [first, second, third] = servers;
    if (!first || !second || !third) throw new Error('three servers are needed');
    const session = await openSession(first);
    const subscribe = { id: 1, method: 'resources/subscribe', params: { uri: WATCHED } };
    await messagesOf(await session.send(subscribe));
    const broken = abortable();
    const { id } = await nextEvent(eventsOf(await session.listen(undefined, broken.signal)));
    broken.abort();
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const [, slow] = through;
    slow?.hold(async () => {
      await answered;
      if (isLost) throw new AppError('upstream_failed', 'The database cannot be reached');
    });
    const leaving = abortable();
    const left = sessionWith(second.url, session.id).listen(id, leaving.signal);
    left.catch(() => {});
    await slow?.isAsked;
    // The first server was away and noticed nothing; the second does not know yet that it speaks.
    second.changed(WATCHED);
    third.changed(WATCHED);
    leaving.abort();
    await sleep(100);
    slow?.letGo();
    answer();
    await sleep(LONG_AGO_MS);
    const events = eventsOf(await sessionWith(third.url, session.id).listen(id));
    expect(await nextEvent(events)).toMatchObject({
      message: { method: 'notifications/resources/updated', params: { uri: WATCHED } },
    });
  });
});
