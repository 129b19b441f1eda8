import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editDistance, nearest } from './nearest.ts';

describe('the nearest candidate', () => {
  const tools = ['read_note', 'write_note', 'patch_note', 'search_notes'];

  test.each([
    ['read_notes', 'read_note'],
    ['READ_NOTE', 'read_note'],
    ['raed_note', 'read_note'],
    ['wriet_note', 'write_note'],
    ['search', undefined],
    ['zzz', undefined],
    ['', undefined],
  ])('of %j is %s', (word, found) => {
    expect(nearest(word, tools)).toBe(found);
  });

  test('is the first of equals, and none of none', () => {
    expect(nearest('ax', ['ab', 'ac'])).toBe('ab');
    expect(nearest('a', [])).toBeUndefined();
  });

  test('a short word is only near when one letter differs', () => {
    expect(nearest('mode', ['node'])).toBe('node');
    expect(nearest('ab', ['cd'])).toBeUndefined();
  });

  test('a word of a megabyte costs nothing', () => {
    expect(nearest('x'.repeat(1_000_000), tools)).toBeUndefined();
  });
});

test.each([
  ['', '', 0],
  ['a', '', 1],
  ['abc', 'abc', 0],
  ['abc', 'acb', 1],
  ['abc', 'axc', 1],
  ['abc', 'abcd', 1],
  ['kitten', 'sitting', 3],
])('%j and %j are %i apart', (a, b, distance) => {
  expect(editDistance(a, b, 100)).toBe(distance);
});

test('a distance is the same both ways, zero only for equals, and never over the limit', () => {
  const word = fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'b', 'c') });
  fc.assert(
    fc.property(word, word, fc.integer({ min: 1, max: 20 }), (a, b, limit) => {
      const distance = editDistance(a, b, limit);
      expect(distance).toBe(editDistance(b, a, limit));
      expect(distance).toBeLessThanOrEqual(limit);
      expect(distance === 0).toBe(a === b);
    }),
  );
});
