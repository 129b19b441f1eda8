/** Finds the words of a query in the words of notes. A note is looked through once, for its rank and for its excerpt. */
import type { FoldedText } from '../../notes/text/fold.ts';
import type { Vocabulary } from '../index/vocabulary.ts';
import { findPlaces, hashIn, type WordSequence, wordAt } from '../index/word-sequences.ts';
import type { WordPlace } from './best-window.ts';
import type { WordGroup } from './rank.ts';

interface FoundWords {
  /** The places of the found words, counted in words, in order. */
  readonly order: readonly WordPlace[];
  /** Their places in the sequence, which has pairs beside words. */
  readonly terms: readonly number[];
  /** Their numbers in the vocabulary. */
  readonly numbers: readonly number[];
}

export type SequenceFinder = (sequence: WordSequence) => FoundWords;

/** `groups` in the order of the words of the query. */
export function createSequenceFinder(groups: readonly WordGroup[], vocabulary: Vocabulary): SequenceFinder {
  const wanted = new Map<number, { readonly group: number; readonly number: number }>();
  for (const [at, group] of groups.entries())
    for (const { word } of group) wanted.set(hashIn(vocabulary, word), { group: at, number: word });
  const words = [...wanted.keys()];
  const known = new Map<WordSequence, FoundWords>();
  let places = new Uint32Array(1024);
  const find = (sequence: WordSequence): FoundWords => {
    const { wordsBefore } = sequence;
    if (places.length < sequence.words.length) places = new Uint32Array(2 * sequence.words.length);
    let count = 0;
    for (let at = 0; at < words.length; at++) count = findPlaces(sequence, words[at]!, places, count);
    const found = places.subarray(0, count).sort();
    const order: WordPlace[] = [];
    const terms: number[] = [];
    const numbers: number[] = [];
    for (let at = 0; at < count; at++) {
      const term = found[at]!;
      const { group, number } = wanted.get(wordAt(sequence, term))!;
      terms.push(term);
      numbers.push(number);
      order.push({ word: group, at: wordsBefore?.[term] ?? term });
    }
    return { order, terms, numbers };
  };
  return (sequence) => {
    const found = known.get(sequence) ?? find(sequence);
    known.set(sequence, found);
    return found;
  };
}

/**
 * The first `most` places of found words in the text; undefined where the text is not that of the sequence, but newer.
 * Without a vocabulary, the text is known to be that of the sequence.
 */
export function placesInText(
  sequence: WordSequence,
  { order, terms, numbers }: FoundWords,
  { text, originalOffset }: FoldedText,
  { vocabulary, most }: { readonly vocabulary: Vocabulary | undefined; readonly most: number },
): WordPlace[] | undefined {
  const places: WordPlace[] = [];
  for (let at = 0; at < terms.length && at < most; at++) {
    const start = sequence.starts[terms[at]!]!;
    if (vocabulary?.standsAt(numbers[at]!, text, start) === false) return undefined;
    places.push({ word: order[at]!.word, at: originalOffset(start) });
  }
  return places;
}
