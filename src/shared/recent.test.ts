import { expect, test } from 'vitest';
import { TtlCache } from './memoize.ts';

test('things are remembered for a while', () => {
  let time = 0;
  const recent = new TtlCache<string>({ forMs: 100, most: 10, now: () => time });
  recent.set('a', 'A');
  time = 99;
  expect(recent.get('a')).toBe('A');
  time = 100;
  expect(recent.get('a')).toBeUndefined();
});

test('and only so many of them', () => {
  const recent = new TtlCache<number>({ forMs: 100, most: 2, now: () => 0 });
  for (const [at, key] of ['a', 'b', 'a', 'c'].entries()) recent.set(key, at);
  expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual([2, undefined, 3]);
  recent.delete('c');
  expect(recent.get('c')).toBeUndefined();
});
