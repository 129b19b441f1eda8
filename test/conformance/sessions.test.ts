/** Sessions over real sockets: whose they are, how they end, and that there are never too many. */
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '../kit/eventually.ts';
import { abortable, initialize, messagesOf, openSession, post, serve, sessionWith } from './wire.ts';

const PING = { id: 1, method: 'ping' };

describe('a session', () => {
  it('is not found when it was never opened', async () => {
    const { url } = await serve();
    const session = sessionWith(url, 'no-such-session');
    for (const answer of [await session.send(PING), await session.listen(), await session.end()]) {
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ id: null, error: { code: -32001 } });
    }
  });

  it('is not found for any client but its owner', async () => {
    const server = await serve();
    const hers = await openSession(server, { principal: 'alice' });
    for (const principal of ['bob', undefined]) {
      const his = sessionWith(server.url, hers.id, { principal });
      expect((await his.send(PING)).status).toBe(404);
      expect((await his.listen()).status).toBe(404);
      expect((await his.end()).status).toBe(404);
    }
    expect(await messagesOf(await hers.send(PING))).toMatchObject([{ id: 1, result: {} }]);
  });

  it('is asked for when a request names none', async () => {
    const { url } = await serve();
    const answers = [
      await post(url, { jsonrpc: '2.0', ...PING }),
      await fetch(url, { headers: { Accept: 'text/event-stream' } }),
      await fetch(url, { method: 'DELETE' }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      const message = expect.stringContaining('Mcp-Session-Id');
      expect(await answer.json()).toMatchObject({ error: { code: -32000, message } });
    }
  });

  it('has an id that cannot be guessed', async () => {
    const server = await serve();
    const ids = await Promise.all([1, 2, 3].map(async () => (await openSession(server)).id));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('ends when its owner deletes it, and its streams with it', async () => {
    const server = await serve();
    const session = await openSession(server);
    const stream = await session.listen();
    expect((await session.end()).status).toBe(200);
    expect(await messagesOf(stream)).toEqual([]);
    expect((await session.send(PING)).status).toBe(404);
    expect(server.endpoint.sessions).toBe(0);
  });

  it('is begun once only', async () => {
    const server = await serve();
    const session = await openSession(server);
    expect((await session.send(initialize())).status).toBe(400);
    expect(server.endpoint.sessions).toBe(1);
  });

  it('is not kept when it could not begin', async () => {
    const server = await serve();
    const refused = await post(server.url, initialize(), { Accept: 'application/json' });
    expect(refused.status).toBe(406);
    expect(server.endpoint.sessions).toBe(0);
  });
});

describe('an idle session', () => {
  const idleMs = 60_000;
  const limits = { idleMs };

  /** Lets time pass for sessions and for nothing else. */
  function stopClock(): (ms: number) => void {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    return (ms) => vi.advanceTimersByTime(ms);
  }

  it('ends after a while', async () => {
    const pass = stopClock();
    const server = await serve({ limits });
    const session = await openSession(server);
    pass(0.9 * idleMs);
    expect(server.endpoint.sessions).toBe(1);
    pass(0.4 * idleMs);
    expect(server.endpoint.sessions).toBe(0);
    expect((await session.send(PING)).status).toBe(404);
  });

  it('does not end while a stream of it is open', async () => {
    const pass = stopClock();
    const server = await serve({ limits });
    const session = await openSession(server);
    const stream = abortable();
    expect((await session.listen(undefined, stream.signal)).status).toBe(200);
    pass(10 * idleMs);
    expect(server.endpoint.sessions).toBe(1);
    stream.abort();
    await eventually(() => {
      pass(2 * idleMs);
      expect(server.endpoint.sessions).toBe(0);
    });
  });

  it('does not end while it is used', async () => {
    const pass = stopClock();
    const server = await serve({ limits });
    const session = await openSession(server);
    for (let round = 0; round < 5; round++) {
      pass(0.9 * idleMs);
      expect(await messagesOf(await session.send(PING))).toHaveLength(1);
    }
  });

  it('ends although its last client left before it was served', async () => {
    const pass = stopClock();
    let isSlow = false;
    const server = await serve({ limits, admit: () => (isSlow ? sleep(100) : Promise.resolve()) });
    const session = await openSession(server);
    isSlow = true;
    const leaving = abortable();
    const answer = session.send(PING, leaving.signal);
    await sleep(50);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await sleep(200);
    await eventually(() => {
      pass(2 * idleMs);
      expect(server.endpoint.sessions).toBe(0);
    });
  });
});

describe('sessions', () => {
  it('give way to a new one, the longest idle first', async () => {
    const server = await serve({ limits: { sessions: 2 } });
    const first = await openSession(server);
    const second = await openSession(server);
    await sleep(5);
    await (await first.send(PING)).text();
    const third = await openSession(server);
    expect((await second.send(PING)).status).toBe(404);
    expect((await first.send(PING)).status).toBe(200);
    expect((await third.send(PING)).status).toBe(200);
    expect(server.endpoint.sessions).toBe(2);
  });

  it('refuse a new one when all are in use', async () => {
    const server = await serve({ limits: { sessions: 2 } });
    const [one, other] = [await openSession(server), await openSession(server)];
    const stream = abortable();
    await one.listen(undefined, stream.signal);
    await other.listen();
    const refused = await post(server.url, initialize());
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: { code: -32000 } });

    stream.abort();
    await eventually(async () => expect((await post(server.url, initialize())).status).toBe(200));
    expect((await one.send(PING)).status).toBe(404);
    expect((await other.send(PING)).status).toBe(200);
  });

  it('are never more than allowed, however many begin at once', async () => {
    const callers = 10;
    const everybody = new EventEmitter();
    let waiting = 0;
    const admit = async () => {
      if (++waiting < callers) await once(everybody, 'here');
      else everybody.emit('here');
    };
    const server = await serve({ limits: { sessions: 3 }, admit });
    const answers = Array.from({ length: callers }, () => post(server.url, initialize()));
    for (const answer of await Promise.all(answers)) expect([200, 503]).toContain(answer.status);
    expect(server.endpoint.sessions).toBeLessThanOrEqual(3);
  });

  it('all end with the endpoint', async () => {
    const server = await serve();
    const stream = await (await openSession(server)).listen();
    await openSession(server);
    await server.endpoint.close();
    expect(await messagesOf(stream)).toEqual([]);
    expect(server.endpoint.sessions).toBe(0);
  });
});
