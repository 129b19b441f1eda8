/** Finds the words of a query in the words of notes. A note is looked through once, for its rank and for its excerpt. */
import type { FoldedText } from '../../notes/text/fold.ts';
import type { Vocabulary } from '../index/vocabulary.ts';
import { findPlaces, hashIn, type WordSequence, wordAt } from '../index/word-sequences.ts';
import type { WordPlaces } from './best-window.ts';
import type { WordGroup } from './rank.ts';

interface FoundWords {
  /** Counted in words. */
  readonly places: WordPlaces;
  /** Their places in the sequence, which has pairs beside words. */
  readonly terms: Uint32Array;
  /** Their numbers in the vocabulary. */
  readonly numbers: Uint32Array;
}

export type SequenceFinder = (sequence: WordSequence) => FoundWords;

/** `groups` in the order of the words of the query. */
export function createSequenceFinder(groups: readonly WordGroup[], vocabulary: Vocabulary): SequenceFinder {
  const wanted = new Map<number, { readonly group: number; readonly number: number }>();
  for (const [at, group] of groups.entries())
    for (const { word } of group) wanted.set(hashIn(vocabulary, word), { group: at, number: word });
  const words = [...wanted.keys()];
  const known = new Map<WordSequence, FoundWords>();
  let buffer = new Uint32Array(1024);
  const find = (sequence: WordSequence): FoundWords => {
    const { wordsBefore } = sequence;
    if (buffer.length < sequence.words.length) buffer = new Uint32Array(2 * sequence.words.length);
    let count = 0;
    for (let at = 0; at < words.length; at++) count = findPlaces(sequence, words[at]!, buffer, count);
    const terms = buffer.slice(0, count).sort();
    const numbers = new Uint32Array(count);
    const places = { words: new Uint16Array(count), at: new Uint32Array(count) };
    for (let at = 0; at < count; at++) {
      const term = terms[at]!;
      const { group, number } = wanted.get(wordAt(sequence, term))!;
      numbers[at] = number;
      places.words[at] = group;
      places.at[at] = wordsBefore?.[term] ?? term;
    }
    return { places, terms, numbers };
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
  { places: { words }, terms, numbers }: FoundWords,
  { text, originalOffset }: FoldedText,
  { vocabulary, most }: { readonly vocabulary: Vocabulary | undefined; readonly most: number },
): WordPlaces | undefined {
  const count = Math.min(terms.length, most);
  const at = new Uint32Array(count);
  for (let place = 0; place < count; place++) {
    const start = sequence.starts[terms[place]!]!;
    if (vocabulary?.standsAt(numbers[place]!, text, start) === false) return undefined;
    at[place] = originalOffset(start);
  }
  return { words: words.subarray(0, count), at };
}
