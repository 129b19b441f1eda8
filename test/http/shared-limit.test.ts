/** A limit over several servers: what it lets through, what it asks of the database, and what it does without one. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSharedLimit } from '../../src/http/shared-limit.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openDatabase } from '../../src/state/postgres/database.ts';
import { migrate } from '../../src/state/postgres/migrate.ts';
import { openRequestCounts, type RequestCounts } from '../../src/state/postgres/request-counts.ts';
import { STATE_MIGRATIONS, STATE_SCHEMA } from '../../src/state/postgres/schema.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';

/** Counts in memory that several limits share, as servers share a database. */
function memoryCounts(clock: { now: number }) {
  const windows = new Map<string, { requests: number; endsAt: number }>();
  const statements: number[] = [];
  const counts: Pick<RequestCounts, 'add'> = {
    async add(added) {
      statements.push(added.length);
      await new Promise((resolve) => setImmediate(resolve));
      return added.map(({ key, requests, spanMs }) => {
        const found = windows.get(key);
        const window =
          found && found.endsAt > clock.now ? found : { requests: 0, endsAt: clock.now + spanMs };
        window.requests += requests;
        windows.set(key, window);
        return { requests: window.requests, remainingMs: window.endsAt - clock.now };
      });
    },
  };
  return { counts, statements };
}

function servers(
  count: number,
  requests: number,
  clock: { now: number },
  counts: Pick<RequestCounts, 'add'>,
) {
  const limit = { name: 'calls', requests, seconds: 60, counts, now: () => clock.now, patienceMs: 60_000 };
  return Array.from({ length: count }, () => createSharedLimit(limit));
}

/** How many of so many requests were let through, each server in turn or all at once. */
async function letThrough(
  limits: ReturnType<typeof servers>,
  tries: number,
  { atOnce = false, key = 'user:alex' } = {},
): Promise<number> {
  const call = async (at: number) => (await limits[at % limits.length]?.(key)) === undefined;
  if (atOnce) {
    const answers = await Promise.all(Array.from({ length: tries }, (_, at) => call(at)));
    return answers.filter((isIn) => isIn).length;
  }
  let count = 0;
  for (let at = 0; at < tries; at++) if (await call(at)) count++;
  return count;
}

describe('a limit over several servers', () => {
  it.each([1, 5, 20, 600, 1_200])(
    'of %i is overshot by a hundredth for each further server at most',
    async (requests) => {
      for (const atOnce of [false, true]) {
        const clock = { now: 0 };
        const { counts } = memoryCounts(clock);
        const limits = servers(3, requests, clock, counts);
        const through = await letThrough(limits, 3 * requests + 50, { atOnce });
        expect(through).toBeGreaterThanOrEqual(requests);
        expect(through).toBeLessThanOrEqual(requests + 2 * Math.max(1, Math.floor(requests / 100)));
        clock.now += 60_001;
        expect(await letThrough(limits, 1)).toBe(1);
      }
    },
  );

  it('says how long to wait, and asks no one once it is known', async () => {
    const clock = { now: 0 };
    const { counts, statements } = memoryCounts(clock);
    const limits = servers(2, 10, clock, counts);
    await letThrough(limits, 40);
    clock.now += 20_000;
    const before = statements.length;
    expect(await limits[0]?.('user:alex')).toBe(40);
    expect(await limits[1]?.('user:alex')).toBe(40);
    expect(statements.length).toBe(before);
    expect(await limits[0]?.('user:bob')).toBeUndefined();
  });

  it('tells of all that was counted at the same time in one statement, and of few requests not at all', async () => {
    const clock = { now: 0 };
    const { counts, statements } = memoryCounts(clock);
    const [limit] = servers(1, 1_200, clock, counts);
    for (let at = 0; at < 50; at++) await letThrough(limit ? [limit] : [], 5, { key: `user:${at}` });
    expect(statements).toEqual([]);
    await Promise.all(Array.from({ length: 50 }, (_, at) => limit?.(`user:${at}`)));
    await expect.poll(() => statements).toEqual([50]);
  });

  it('lets each server go on by itself while the database fails, and counts it all when it is back', async () => {
    const clock = { now: 0 };
    const { counts } = memoryCounts(clock);
    let isAway = true;
    const flaky: Pick<RequestCounts, 'add'> = {
      add: async (added) => {
        if (isAway) throw new Error('away');
        return counts.add(added);
      },
    };
    const limits = servers(2, 100, clock, flaky);
    expect(await letThrough(limits, 120)).toBe(120);
    isAway = false;
    clock.now += 1_001;
    expect(await letThrough(limits, 20)).toBeLessThanOrEqual(2);
  });

  it('does not wait for a database that does not answer', async () => {
    const never: Pick<RequestCounts, 'add'> = { add: () => new Promise(() => {}) };
    const limit = createSharedLimit({ name: 'n', requests: 10, seconds: 60, counts: never, patienceMs: 5 });
    expect(await letThrough([limit], 30)).toBe(10);
  });
});

describeWith(postgresNeed, 'a limit over several servers, in PostgreSQL', () => {
  it('counts once what each server adds, in windows of the database', async () => {
    const url = await freshDatabase();
    const opened = await Promise.all(
      [1, 2, 3].map(async () => {
        const database = openDatabase(url, { log: silentLog, connections: 2 });
        onTestFinished(() => database.close());
        await migrate(database, { schema: STATE_SCHEMA, steps: STATE_MIGRATIONS });
        const counts = openRequestCounts(database);
        onTestFinished(() => counts.close());
        return counts;
      }),
    );
    const limits = opened.map((counts) =>
      createSharedLimit({ name: 'calls', requests: 50, seconds: 60, counts, patienceMs: 60_000 }),
    );
    const through = await letThrough(limits, 120, { atOnce: true });
    expect(through).toBeGreaterThanOrEqual(50);
    expect(through).toBeLessThanOrEqual(52);
    const keys = ['b', 'a', 'c'].map((key) => ({ key, requests: 2, spanMs: 50 }));
    const all = await Promise.all(opened.map((counts) => counts.add(keys)));
    expect(all.flat().reduce((most, { requests }) => Math.max(most, requests), 0)).toBeGreaterThanOrEqual(2);
    await expect
      .poll(async () => (await opened[0]?.add([{ key: 'a', requests: 1, spanMs: 60_000 }]))?.[0]?.requests, {
        interval: 100,
      })
      .toBe(1);
  });
});
