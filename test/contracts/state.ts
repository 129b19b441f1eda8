/** The contract of every state store, run by each. */
import { expect, it } from 'vitest';
import type { StateStore } from '../../src/state/memory.ts';
import { eventually } from '../kit/eventually.ts';

export interface Clock {
  now: number;
}

export function testStateContract(open: (clock: Clock) => Promise<StateStore>): void {
  const opened = (clock: Clock = { now: 1_800_000_000_000 }) => open(clock);

  it('gives back what was put, of any kind JSON can hold', async () => {
    const state = await opened();
    const values = ['', 'text', 0, -1.5, true, null, [1, [2]], { a: { b: 'ü\n"\\\u2028😀' } }];
    for (const [at, value] of values.entries()) await state.put(`v:${at}`, value);
    for (const [at, value] of values.entries()) expect(await state.get(`v:${at}`)).toEqual(value);
  });

  it('tells who watches of every change', async () => {
    const state = await opened();
    const keys: string[] = [];
    const stop = state.watch((key) => keys.push(key));
    // From when on notifications arrive is not known.
    await eventually(async () => {
      await state.put('first', 1);
      expect(keys).toContain('first');
    });
    await state.put('a: 😀', 1);
    await state.swap('a: 😀', 1, 2);
    await state.put('b', 1);
    await state.delete('b');
    await state.put('c', 1);
    await state.take('c');
    // An empty key stands for any.
    const told = () => keys.filter((key) => key !== '' && key !== 'first');
    await eventually(() => expect(told()).toEqual(['a: 😀', 'a: 😀', 'b', 'b', 'c', 'c']));
    stop();
    await state.put('d', 1);
    expect(told()).not.toContain('d');
  });

  it('holds keys of any text', async () => {
    const state = await opened();
    const keys = [
      '',
      'a b',
      'ü:😀',
      '"quoted"\n',
      '__proto__',
      'constructor',
      'a\\b',
      'a\u0000b',
      'k'.repeat(2_000),
    ];
    for (const key of keys) await state.put(key, key);
    for (const key of keys) expect(await state.get(key)).toBe(key);
    expect(await state.list('')).toEqual([...keys].sort());
  });

  it('says undefined for what is not there', async () => {
    const state = await opened();
    expect(await state.get('no')).toBeUndefined();
    expect(await state.take('no')).toBeUndefined();
    await state.delete('no');
    expect(await state.list('')).toEqual([]);
  });

  it('replaces a value, and its end with it', async () => {
    const clock = { now: 0 };
    const state = await opened(clock);
    await state.put('k', 1, 10);
    await state.put('k', 2);
    clock.now = 11_000;
    expect(await state.get('k')).toBe(2);
    await state.put('k', 3, 10);
    clock.now = 21_000;
    expect(await state.get('k')).toBeUndefined();
  });

  it('forgets a value when its time is over, everywhere at once', async () => {
    const clock = { now: 0 };
    const state = await opened(clock);
    await state.put('a:short', 1, 60);
    await state.put('a:long', 2, 120);
    await state.put('a:ever', 3);
    clock.now = 59_999;
    expect(await state.list('a:')).toEqual(['a:ever', 'a:long', 'a:short']);
    clock.now = 60_000;
    expect(await state.get('a:short')).toBeUndefined();
    expect(await state.take('a:short')).toBeUndefined();
    expect(await state.list('a:')).toEqual(['a:ever', 'a:long']);
  });

  it('lets exactly one of many takers have a value', async () => {
    const state = await opened();
    await state.put('one', { it: true });
    const taken = await Promise.all(Array.from({ length: 50 }, () => state.take('one')));
    expect(taken.filter((value) => value !== undefined)).toEqual([{ it: true }]);
    expect(await state.get('one')).toBeUndefined();
  });

  it('lets exactly one of many have its value in place of the same one, or of none', async () => {
    const state = await opened();
    for (const expected of [undefined, { by: 'all', list: [1, { b: 2, a: 'ü' }] }]) {
      if (expected !== undefined) await state.put('swapped', expected);
      const swaps = Array.from({ length: 20 }, (_, at) => state.swap('swapped', expected, { at }));
      const won = (await Promise.all(swaps)).flatMap((isDone, at) => (isDone ? [at] : []));
      expect(won).toHaveLength(1);
      expect(await state.get('swapped')).toEqual({ at: won[0] });
    }
    expect(await state.swap('swapped', undefined, 1)).toBe(false);
    expect(await state.swap('other', { at: 0 }, 1)).toBe(false);
    expect(await state.get('other')).toBeUndefined();
  });

  it('swaps what it gave back, and takes what has expired for none', async () => {
    const clock = { now: 0 };
    const state = await opened(clock);
    await state.put('k', { z: 1, a: [null, 1.5, 'x'] }, 10);
    const found = await state.get('k');
    expect(await state.swap('k', found, 'next', 20)).toBe(true);
    clock.now = 19_000;
    expect(await state.recent('k')).toBe('next');
    expect(await state.swap('k', undefined, 'more')).toBe(false);
    clock.now = 21_000;
    expect(await state.swap('k', 'next', 'more')).toBe(false);
    expect(await state.swap('k', undefined, 'anew')).toBe(true);
    expect(await state.get('k')).toBe('anew');
    await expect(state.swap('k', 'anew', undefined)).rejects.toThrow(/JSON/);
  });

  it('lists by prefix, in order, without what was removed', async () => {
    const state = await opened();
    for (const key of ['b:2', 'b:10', 'a:1', 'b', 'bb:1']) await state.put(key, 1);
    await state.delete('b:2');
    await state.take('bb:1');
    await state.put('b:3', 1);
    expect(await state.list('b:')).toEqual(['b:10', 'b:3']);
    expect(await state.list('b')).toEqual(['b', 'b:10', 'b:3']);
  });

  it('keeps what it was given, whatever happens to it afterwards', async () => {
    const state = await opened();
    const given = { list: [1] };
    await state.put('k', given);
    given.list.push(2);
    const got = await state.get<typeof given>('k');
    got?.list.push(3);
    expect(await state.get('k')).toEqual({ list: [1] });
  });

  it('refuses what JSON cannot hold', async () => {
    const state = await opened();
    await expect(state.put('k', undefined)).rejects.toThrow(/JSON/);
    await expect(state.put('k', () => {})).rejects.toThrow(/JSON/);
    expect(await state.list('')).toEqual([]);
  });

  it('does many things at once', async () => {
    const state = await opened();
    await Promise.all(Array.from({ length: 500 }, (_, at) => state.put(`k:${at % 100}`, at)));
    await Promise.all(Array.from({ length: 50 }, (_, at) => state.delete(`k:${at}`)));
    expect(await state.list('k:')).toHaveLength(50);
    expect(await state.get('k:99')).toBe(499);
  });
}
