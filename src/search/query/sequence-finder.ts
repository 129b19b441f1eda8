/** Finds the words of a query in the words of notes. A note is looked through once, for its rank and for its excerpt. */
import type { FoldedText } from '../../notes/text/fold.ts';
import type { Vocabulary } from '../index/vocabulary.ts';
import { findPlaces, hashIn, type WordSequence } from '../index/word-sequences.ts';
import type { WordPlaces } from './best-window.ts';
import type { WordGroup } from './rank.ts';

interface FoundWords {
  /** Counted in words. */
  readonly places: WordPlaces;
  /** Their places in the sequence, which has pairs beside words. */
  readonly terms: readonly number[];
  /** Their numbers in the vocabulary. */
  readonly numbers: readonly number[];
}

export type SequenceFinder = (sequence: WordSequence) => FoundWords;

// Used by one call at a time, and again by the next: new ones for each search take longer than most notes.
let buffer = new Uint32Array(1024);
/** By place in the sequence: which of the wanted words stands there. Only what was found is looked up. */
let wantedAt = new Uint32Array(1024);

/** `groups` in the order of the words of the query. */
export function createSequenceFinder(groups: readonly WordGroup[], vocabulary: Vocabulary): SequenceFinder {
  const byHash = new Map<number, { readonly group: number; readonly number: number }>();
  for (const [at, group] of groups.entries())
    for (const { word } of group) byHash.set(hashIn(vocabulary, word), { group: at, number: word });
  const hashes = [...byHash.keys()];
  const wanted = [...byHash.values()];
  const known = new Map<WordSequence, FoundWords>();
  const find = (sequence: WordSequence): FoundWords => {
    const { words, wordsBefore } = sequence;
    if (buffer.length < words.length) {
      buffer = new Uint32Array(2 * words.length);
      wantedAt = new Uint32Array(2 * words.length);
    }
    let count = 0;
    for (let at = 0; at < hashes.length; at++) {
      const before = count;
      count = findPlaces(sequence, hashes[at]!, buffer, before);
      for (let found = before; found < count; found++) wantedAt[buffer[found]!] = at;
    }
    const sorted = buffer.subarray(0, count).sort();
    const terms = new Array<number>(count);
    const numbers = new Array<number>(count);
    const groupsAt = new Array<number>(count);
    const wordsAt = wordsBefore ? new Array<number>(count) : terms;
    for (let at = 0; at < count; at++) {
      const term = sorted[at]!;
      const { group, number } = wanted[wantedAt[term]!]!;
      terms[at] = term;
      numbers[at] = number;
      groupsAt[at] = group;
      if (wordsBefore) wordsAt[at] = wordsBefore[term]!;
    }
    return { places: { words: groupsAt, at: wordsAt }, terms, numbers };
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
  const at = new Array<number>(count);
  for (let place = 0; place < count; place++) {
    const start = sequence.starts[terms[place]!]!;
    if (vocabulary?.standsAt(numbers[place]!, text, start) === false) return undefined;
    at[place] = originalOffset(start);
  }
  return { words: count < words.length ? words.slice(0, count) : words, at };
}
