import { describe, expect, it } from 'vitest';
import { NoteIndex } from '../../src/search/index/note-index.ts';
import { likelyNotes } from '../../src/search/query/likely-notes.ts';
import { scoreWords, wordsLike } from '../../src/search/query/rank.ts';
import { bestNumbers } from '../../src/search/query/selection.ts';
import { at } from './kit.ts';

const NOTES = 210_000;

/** Every note has "common", one in three "frequent", one in 150 "seldom", one in 10,000 "rare", some only words like these. */
const WORDS = ['common', 'frequent', 'seldom', 'rarest', 'rarestones', 'unheard', 'frequents'];
const holds = [
  () => true,
  (note: number) => note % 3 === 0,
  (note: number) => note % 150 === 7,
  (note: number) => note % 10_000 === 9,
  (note: number) => note % 2 === 1,
  () => false,
  (note: number) => note % 100 === 3,
];

function manyNotes(): NoteIndex {
  const index = new NoteIndex();
  const notes = Array.from({ length: NOTES }, (_, note) => ({
    path: at(`${note}.md`),
    size: 100,
    lastModified: note,
    contentType: 'text/markdown',
  }));
  const entries: number[] = [];
  for (let note = 0; note < NOTES; note++)
    for (const [word, isIn] of holds.entries())
      if (isIn(note)) entries.push(note, 50 + (note % 91), word, 1 + ((note * 7 + word) % 9));
  index.putSkimmed({ words: WORDS, entries: Uint32Array.from(entries) }, notes);
  return index;
}

describe('the likeliest of very many notes', () => {
  const index = manyNotes();
  const groupsOf = (words: readonly string[]) => words.map((word) => wordsLike(index, word));

  it.each([
    [['common', 'seldom']],
    [['common', 'frequent', 'seldom', 'rarest']],
    [['seldom', 'rarest']],
    [['rarest', 'frequent', 'unheard']],
  ])('are the best of all for %j', (words) => {
    const groups = groupsOf(words);
    const all = scoreWords(index, groups);
    const among = likelyNotes(index, groups)!;
    const some = scoreWords(index, groups, undefined, among);
    expect(some.touched.length).toBeLessThan(all.touched.length);
    expect(bestNumbers(some.touched, some.score, 20, index)).toEqual(
      bestNumbers(all.touched, all.score, 20, index),
    );
  });

  it('are all notes with the rarest of the words', () => {
    const among = likelyNotes(index, groupsOf(['common', 'frequent', 'rarest']))!;
    for (let note = 9; note < NOTES; note += 10_000) expect(among[note]).toBe(1);
  });

  it('are all notes with both of two common words, whatever rarer inflections they have', () => {
    const among = likelyNotes(index, groupsOf(['common', 'frequent']))!;
    for (let note = 0; note < NOTES; note += 3) if (among[note] !== 1) expect.fail(`${note} is missing`);
  });

  it('are no removed notes', () => {
    index.remove(at('9.md'));
    expect(likelyNotes(index, groupsOf(['common', 'rarest']))?.[9]).toBe(0);
  });

  it.each(['common', 'frequent'])('of a common word, %j, are those with the greatest weights', (word) => {
    const groups = groupsOf([word]);
    const all = scoreWords(index, groups);
    const some = scoreWords(index, groups, undefined, likelyNotes(index, groups));
    expect(some.touched.length).toBeGreaterThan(20_000);
    expect(some.touched.length).toBeLessThan(60_000);
    expect(bestNumbers(some.touched, some.score, 20, index)).toEqual(
      bestNumbers(all.touched, all.score, 20, index),
    );
  });

  it('are not chosen for a single word that is not very common, nor among few notes', () => {
    expect(likelyNotes(index, groupsOf(['seldom']))).toBeUndefined();
    expect(likelyNotes(new NoteIndex(), groupsOf(['common', 'rarest']))).toBeUndefined();
  });
});
