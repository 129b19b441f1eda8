/** Finds the words of a query in the words of notes. A note is looked through once, for its rank and for its excerpt. */
import type { FoldedText } from '../../notes/text/fold.ts';
import type { Vocabulary } from '../index/vocabulary.ts';
import { createWordFilter, forEachPassing, type WordSequence, wordAt } from '../index/word-sequences.ts';
import type { WordPlace } from './best-window.ts';
import type { WordGroup } from './rank.ts';

interface FoundWords {
  /** The places of the found words, counted in words, in order. */
  readonly order: readonly WordPlace[];
  /** The places of the found words in the sequence, which has pairs beside words. */
  readonly terms: readonly number[];
}

export type SequenceFinder = (sequence: WordSequence) => FoundWords;

/** `groups` in the order of the words of the query. */
export function createSequenceFinder(groups: readonly WordGroup[]): SequenceFinder {
  const groupOf = new Map<number, number>();
  for (const [at, group] of groups.entries()) for (const { word } of group) groupOf.set(word, at);
  const filter = createWordFilter(groupOf.keys());
  const known = new Map<WordSequence, FoundWords>();
  const find = (sequence: WordSequence): FoundWords => {
    const order: WordPlace[] = [];
    const terms: number[] = [];
    forEachPassing(sequence, filter, (at, wordsBefore) => {
      const word = groupOf.get(wordAt(sequence, at));
      if (word === undefined) return;
      order.push({ word, at: wordsBefore });
      terms.push(at);
    });
    return { order, terms };
  };
  return (sequence) => {
    const found = known.get(sequence) ?? find(sequence);
    known.set(sequence, found);
    return found;
  };
}

/** The first `most` places of found words in the text; undefined where the text is not that of the sequence, but newer. */
export function placesInText(
  sequence: WordSequence,
  { order, terms }: FoundWords,
  { text, originalOffset }: FoldedText,
  { vocabulary, most }: { readonly vocabulary: Vocabulary; readonly most: number },
): WordPlace[] | undefined {
  const places: WordPlace[] = [];
  for (let at = 0; at < terms.length && at < most; at++) {
    const start = sequence.starts[terms[at]!]!;
    if (!vocabulary.standsAt(wordAt(sequence, terms[at]!), text, start)) return undefined;
    places.push({ word: order[at]!.word, at: originalOffset(start) });
  }
  return places;
}
