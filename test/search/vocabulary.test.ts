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

test('parts of very many words are found wherever they stand, in words that were added later too', () => {
  const vocabulary = new Vocabulary();
  const words: string[] = [];
  const wordAt = (at: number) =>
    at % 50_000 === 49_999
      ? `quagga${at.toString(36)}zebra`
      : (Math.imul(at + 1, 0x9e3779b1) >>> 0).toString(36);
  const add = (count: number) => {
    for (const end = words.length + count; words.length < end; ) {
      const word = wordAt(words.length);
      words.push(word);
      vocabulary.addText(word);
    }
  };
  const found = (part: string) =>
    vocabulary.containing(part, 'anywhere').map((number) => vocabulary.word(number));
  add(620_000);
  for (const more of [0, 1, 60_000]) {
    add(more);
    for (const part of ['quagga', 'azeb', 'zebra', 'nowhere', words[17]!, words.at(-1)!.slice(1, 5), 'abc'])
      expect(found(part)).toEqual(words.filter((word) => word.includes(part)));
    for (const word of [words[17]!, words.at(-1)!])
      expect(vocabulary.maybeNear(`${word}x`, 1).map((number) => vocabulary.word(number))).toContain(word);
  }
});

test('a packed vocabulary goes on with the lists of the one before, unless words came meanwhile', () => {
  const words = madeUpWords();
  const made = (list: readonly string[]) => {
    const vocabulary = new Vocabulary();
    for (const word of list) vocabulary.addText(word);
    return vocabulary;
  };
  const looks = (vocabulary: Vocabulary) =>
    words
      .slice(0, 40)
      .map((word) => [
        vocabulary.maybeNear(word, 1),
        ...(['start', 'end', 'anywhere'] as const).map((place) =>
          vocabulary.containing(word.slice(0, 3), place),
        ),
      ]);
  for (const isLater of [false, true]) {
    const before = made(words.slice(0, 2_000));
    const packed = new Vocabulary(before.pack());
    if (isLater) before.addText('aaaa-later');
    looks(before);
    packed.takeListsOf(before);
    for (const word of words.slice(2_000)) packed.addText(word);
    before.addText('bbbb-later');
    expect(looks(packed), `with later words: ${isLater}`).toEqual(looks(made(words)));
    expect(before.containing('-later', 'end')).toHaveLength(isLater ? 2 : 1);
  }
});
