/** Finds the words of a query in the words of notes. A note is looked through once, for its rank and for its excerpt. */
import type { NoteIndex } from '../index/note-index.ts';
import { forEachWordIn, type WordSequence, wordSetOf } from '../index/word-sequences.ts';
import type { WordPlace } from './best-window.ts';
import type { WordGroup } from './rank.ts';

export interface FoundWords {
  /** In words, in order. */
  readonly order: readonly WordPlace[];
  /** For each of them, which word of the vocabulary it is and where it stands in the folded text. */
  readonly numbers: readonly number[];
  readonly starts: readonly number[];
}

export type SequenceFinder = (sequence: WordSequence) => FoundWords;

/** `groups` in the order of the words of the query. */
export function createSequenceFinder(
  { vocabulary }: NoteIndex,
  groups: readonly WordGroup[],
): SequenceFinder {
  const groupOf = new Map<number, number>();
  for (const [at, group] of groups.entries()) for (const { word } of group) groupOf.set(word, at);
  const wanted = wordSetOf(groupOf.keys(), vocabulary.size);
  const found = new Map<WordSequence, FoundWords>();
  return (sequence) => {
    const known = found.get(sequence);
    if (known) return known;
    const order: WordPlace[] = [];
    const numbers: number[] = [];
    const starts: number[] = [];
    forEachWordIn(sequence, wanted, (word, at, start) => {
      order.push({ word: groupOf.get(word)!, at });
      numbers.push(word);
      starts.push(start);
    });
    const words = { order, numbers, starts };
    found.set(sequence, words);
    return words;
  };
}
