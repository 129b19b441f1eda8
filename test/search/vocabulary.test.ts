/** Words that contain something, and words that a mistyped one may be: the quick look leaves none of them out. */
import { expect, test } from 'vitest';
import { Vocabulary } from '../../src/search/index/vocabulary.ts';
import { editDistance } from '../../src/shared/nearest.ts';

/** Words of few letters, so that many are near each other. */
function madeUpWords(): string[] {
  const words = new Set<string>();
  let state = 7;
  for (let count = 0; count < 3_000; count++) {
    let word = '';
    do {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      word += 'abcdeéя東'[(state >>> 16) % 8];
    } while ((state >>> 24) % 8 !== 0 && word.length < 12);
    words.add(word);
  }
  return [...words];
}

test('every word within so many slips is among those that may be near', () => {
  const words = madeUpWords();
  const vocabulary = new Vocabulary();
  for (const word of words) vocabulary.addText(word);
  let near = 0;
  let left = 0;
  for (const word of words.slice(0, 100))
    for (const slips of [1, 2]) {
      const likely = new Set(vocabulary.maybeNear(word, slips).map((number) => vocabulary.word(number)));
      for (const other of words) {
        const isLikely = likely.has(other);
        if (!isLikely) left++;
        if (other[0] !== word[0] || editDistance(word, other, slips + 1) > slips) continue;
        if (!isLikely) expect.fail(`${other} is near ${word}`);
        near++;
      }
    }
  expect(near).toBeGreaterThan(500);
  expect(left).toBeGreaterThan(near);
});

test('a word that is added later is found too', () => {
  const vocabulary = new Vocabulary();
  vocabulary.addText('barometer');
  expect(vocabulary.maybeNear('barometre', 1).map((word) => vocabulary.word(word))).toEqual(['barometer']);
  vocabulary.addText('barometers');
  expect(vocabulary.maybeNear('barometre', 1).map((word) => vocabulary.word(word))).toEqual([
    'barometer',
    'barometers',
  ]);
});

test('words that begin or end with something are found, those that were added later too', () => {
  const vocabulary = new Vocabulary();
  const words: string[] = [];
  for (const word of madeUpWords()) {
    vocabulary.addText(word);
    words.push(word);
    if (words.length % 300 !== 0) continue;
    for (const part of words.slice(-20).map((one) => one.slice(0, 3))) {
      const found = (place: 'start' | 'end') =>
        vocabulary.containing(part, place).map((number) => vocabulary.word(number));
      expect(found('start')).toEqual(words.filter((one) => one.startsWith(part)));
      expect(found('end')).toEqual(words.filter((one) => one.endsWith(part)));
    }
  }
  expect(words.length).toBeGreaterThan(1_000);
});
