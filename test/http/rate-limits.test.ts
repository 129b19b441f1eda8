/** Limits by address and by caller, with the clock in hand. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRateLimits, type RateLimits } from '../../src/http/rate-limits.ts';
import { ANONYMOUS, type Principal } from '../../src/shared/principal.ts';

const anna: Principal = { id: 'user:anna', kind: 'user', scopes: [] };
const ben: Principal = { ...anna, id: 'user:ben' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limits = (options: Partial<Parameters<typeof createRateLimits>[0]> = {}): RateLimits =>
  createRateLimits({
    perAddress: { requests: 3, seconds: 60 },
    perPrincipal: { requests: 2, seconds: 10 },
    ...options,
  });

async function times(count: number, ask: () => Promise<number | undefined>): Promise<(number | undefined)[]> {
  const waits: (number | undefined)[] = [];
  for (let at = 0; at < count; at++) waits.push(await ask());
  return waits;
}

describe('an address', () => {
  test('gets the time to wait, and may come back then', async () => {
    const { byAddress } = limits();
    expect(await times(4, () => byAddress('203.0.113.9'))).toEqual([undefined, undefined, undefined, 60]);
    vi.advanceTimersByTime(45_500);
    expect(await byAddress('203.0.113.9')).toBe(15);
    vi.advanceTimersByTime(14_499);
    expect(await byAddress('203.0.113.9')).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await byAddress('203.0.113.9')).toBeUndefined();
  });

  test('answers for itself alone', async () => {
    const { byAddress } = limits();
    await times(4, () => byAddress('203.0.113.9'));
    expect(await byAddress('203.0.113.10')).toBeUndefined();
  });

  test('is the same in every spelling, and one subscriber of IPv6 is one', async () => {
    const { byAddress } = limits();
    await times(3, () => byAddress('203.0.113.9'));
    expect(await byAddress('::ffff:203.0.113.9')).toBe(60);
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:db8:1:2:3:4:5:6'])
      expect(await byAddress(address)).toBeUndefined();
    expect(await byAddress('2001:0db8:0001:0002::99')).toBe(60);
    expect(await byAddress('2001:db8:1:3::1')).toBeUndefined();
  });

  test('that is unknown is one like any other', async () => {
    const { byAddress } = limits();
    expect(await times(4, () => byAddress('unknown'))).toEqual([undefined, undefined, undefined, 60]);
  });
});

describe('a caller', () => {
  test('is counted apart from its address and from other callers', async () => {
    const { byPrincipal, byAddress } = limits();
    expect(await times(3, () => byPrincipal(anna))).toEqual([undefined, undefined, 10]);
    expect(await byPrincipal(ben)).toBeUndefined();
    expect(await byAddress('user:anna')).toBeUndefined();
  });

  test('without a name is limited by its address alone', async () => {
    const { byPrincipal } = limits();
    expect(await times(50, () => byPrincipal(ANONYMOUS))).toEqual(Array(50).fill(undefined));
  });
});

test('no limit is no limit', async () => {
  const { byAddress } = limits({ perAddress: { requests: 0, seconds: 60 } });
  expect(await times(1_000, () => byAddress('203.0.113.9'))).toEqual(Array(1_000).fill(undefined));
});

test('each refusal is reported', async () => {
  const refusals: string[] = [];
  const { byAddress, byPrincipal } = limits({ onLimited: (kind) => refusals.push(kind) });
  await times(5, () => byAddress('203.0.113.9'));
  await times(3, () => byPrincipal(anna));
  expect(refusals).toEqual(['address', 'address', 'principal']);
});

test('only so many are remembered: the quietest is forgotten, and the busy one is not', async () => {
  const { byAddress } = limits({ maxKeys: 10 });
  await times(3, () => byAddress('203.0.113.1'));
  await times(3, () => byAddress('203.0.113.2'));
  for (let at = 0; at < 9; at++) {
    expect(await byAddress(`198.51.100.${at}`)).toBeUndefined();
    expect(await byAddress('203.0.113.1')).toBe(60);
  }
  expect(await byAddress('203.0.113.2')).toBeUndefined();
  const timers = vi.getTimerCount();
  for (let at = 0; at < 200; at++) await byAddress(`192.0.2.${at}`);
  expect(vi.getTimerCount()).toBeLessThanOrEqual(timers + 10);
  expect(vi.getTimerCount()).toBeLessThanOrEqual(10);
});

test('of many at once exactly as many get through as may', async () => {
  const { byAddress } = limits();
  const waits = await Promise.all(Array.from({ length: 20 }, () => byAddress('203.0.113.9')));
  expect(waits.filter((wait) => wait === undefined)).toHaveLength(3);
});
