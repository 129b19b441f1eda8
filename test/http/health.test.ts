/** Alive and ready, and no word more. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { healthRoutes, type ReadyCheck } from '../../src/http/health.ts';
import { type Log, silentLog } from '../../src/shared/log.ts';

const ok = (name: string): ReadyCheck => ({ name, check: async () => {} });
const failing = (name: string, error: unknown = new Error('postgres://user:hunter2@db')): ReadyCheck => ({
  name,
  check: () => Promise.reject(error),
});

async function get(path: string, checks: readonly ReadyCheck[], log: Log = silentLog): Promise<Response> {
  const route = healthRoutes({ checks, timeoutMs: 30, log }).find((candidate) => candidate.path === path);
  if (!route) throw new Error(`no ${path}`);
  return route.handle(new Request(`http://localhost${path}`), { address: '127.0.0.1' });
}

describe.each(['/health', '/healthz'])('%s', (path) => {
  test('is 200 while the process lives, ready or not', async () => {
    const response = await get(path, [failing('notes')]);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok' });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

describe('/readyz', () => {
  afterEach(() => void vi.useRealTimers());

  test('is 200 when every check passes, and with none', async () => {
    const response = await get('/readyz', [ok('notes'), ok('state')]);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok', checks: { notes: 'ok', state: 'ok' } });
    expect((await get('/readyz', [])).status).toBe(200);
  });

  test('is 503 and names what failed, but not why', async () => {
    const lines: unknown[] = [];
    const response = await get('/readyz', [ok('notes'), failing('state')], (...line) => lines.push(line));
    expect(response.status).toBe(503);
    const text = await response.text();
    expect(JSON.parse(text)).toEqual({ status: 'unavailable', checks: { notes: 'ok', state: 'failed' } });
    expect(text).not.toContain('hunter2');
    expect(lines).toMatchObject([['warn', 'not_ready', { check: 'state' }]]);
  });

  test.each([undefined, null, 'text', { code: 'timeout' }])(
    'survives a check that throws %j',
    async (error) => {
      const response = await get('/readyz', [failing('odd', error)]);
      expect(await response.json()).toMatchObject({ checks: { odd: 'failed' } });
    },
  );

  test('survives a check that throws before it begins', async () => {
    const rude: ReadyCheck = {
      name: 'rude',
      check: () => {
        throw new Error('at once');
      },
    };
    expect(await (await get('/readyz', [rude])).json()).toMatchObject({ checks: { rude: 'failed' } });
  });

  test('does not wait for a check that hangs, and tells it to stop', async () => {
    let checkSignal: AbortSignal | undefined;
    const hanging: ReadyCheck = {
      name: 'upstream',
      check: (signal) => {
        checkSignal = signal;
        return new Promise(() => {});
      },
    };
    const response = await get('/readyz', [hanging, ok('notes')]);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ checks: { upstream: 'timeout', notes: 'ok' } });
    expect(checkSignal?.aborted).toBe(true);
  });

  test('runs its checks no oftener than once in a while, however often it is asked', async () => {
    vi.useFakeTimers();
    let runs = 0;
    let isUp = true;
    const check: ReadyCheck = {
      name: 'notes',
      check: async () => {
        runs++;
        if (!isUp) throw new Error('down');
      },
    };
    const route = healthRoutes({ checks: [check], keepMs: 1_000, log: silentLog })[2];
    const ask = async () => (await route?.handle(new Request('http://a/readyz'), { address: '' }))?.status;
    expect(await Promise.all(Array.from({ length: 50 }, ask))).toEqual(Array(50).fill(200));
    isUp = false;
    expect(await ask()).toBe(200);
    expect(runs).toBe(1);
    vi.advanceTimersByTime(1_000);
    expect(await ask()).toBe(503);
    isUp = true;
    vi.advanceTimersByTime(1_000);
    expect(await ask()).toBe(200);
    expect(runs).toBe(3);
  });

  describe('says how many notes wait to be read', () => {
    const indexes = () => [
      { notebook: 'diary', indexed: 5, pending: 3, unreadable: 1 },
      { notebook: 'work', indexed: 2, pending: 4, unreadable: 0 },
    ];
    const bodyOf = async (options: Partial<Parameters<typeof healthRoutes>[0]>) => {
      const route = healthRoutes({ checks: [ok('notebook diary')], indexes, log: silentLog, ...options })[2];
      const response = await route?.handle(new Request('http://a/readyz'), { address: '' });
      return { status: response?.status, body: await response?.json() };
    };

    test('of each notebook, where there are several', async () => {
      expect(await bodyOf({})).toEqual({
        status: 200,
        body: {
          status: 'ok',
          notes: { pending: 7, unreadable: 1 },
          checks: { 'notebook diary': 'ok' },
          notebooks: { diary: { pending: 3, unreadable: 1 }, work: { pending: 4, unreadable: 0 } },
        },
      });
    });

    test('to strangers as a sum alone', async () => {
      const { status, body } = await bodyOf({ isAnonymous: true });
      expect([status, body]).toEqual([200, { status: 'ok', notes: { pending: 7, unreadable: 1 } }]);
    });

    test('also when it is not ready', async () => {
      expect(await bodyOf({ checks: [failing('x')], isAnonymous: true })).toEqual({
        status: 503,
        body: { status: 'unavailable', notes: { pending: 7, unreadable: 1 } },
      });
    });

    test('and nothing of them where nothing is indexed', async () => {
      expect((await bodyOf({ indexes: () => [], isAnonymous: true })).body).toEqual({ status: 'ok' });
    });
  });
});
