/** The places of a text that say most about a query: where its rarest words stand, in whatever form. */
import { createStemFinder, termOf } from '../../notes/text/stems.ts';
import { bestWindow, type Window, type WordPlace } from './best-window.ts';

/** Of the original text. */
export interface TellingPlace {
  /** From the first to the last word of the query that belongs to it. */
  readonly start: number;
  readonly end: number;
  /** The end of the first word. */
  readonly firstEnd: number;
}

/** At most two, the better one first; and how many words of the query stand in the text, repetitions included. */
export interface TellingPlaces {
  readonly places: readonly TellingPlace[];
  readonly count: number;
}

/** A place is at most so long. */
export const PLACE_LENGTH = 150;
const MOST_OCCURRENCES = 2_000;
/** What a word counts for the second place when the first has it already. */
const SEEN = 0.6;

/** `weights` in the order of the words: the rarer, the greater. */
export function createTellingPlaces(
  words: readonly string[],
  weights: readonly number[],
): (text: string) => TellingPlaces {
  const find = createStemFinder(words, termOf);
  return (text) => {
    const found: WordPlace[] = [];
    const { originalOffset } = find(text, (word, at) => {
      if (found.length < MOST_OCCURRENCES) found.push({ word, at });
    });
    const occurrences = found.map(({ word, at }) => ({ word, at: originalOffset(at) }));
    const first = bestWindow(occurrences, weights, PLACE_LENGTH);
    if (first.weight === 0) return { places: [], count: 0 };
    const seen = new Set(occurrences.slice(first.from, first.to).map(({ word }) => word));
    const others = occurrences.filter(({ at }) => Math.abs(at - occurrences[first.from]!.at) > PLACE_LENGTH);
    const second = bestWindow(
      others,
      weights.map((weight, word) => (seen.has(word) ? weight * SEEN : weight)),
      PLACE_LENGTH,
    );
    const placeOf = (among: readonly WordPlace[], { from, to }: Window): TellingPlace => {
      const ends = among.slice(from, to).map(({ word, at }) => endOfWord(text, at, words[word]!.length));
      return { start: among[from]!.at, firstEnd: ends[0]!, end: Math.max(...ends) };
    };
    return {
      places: [placeOf(occurrences, first), ...(second.weight > 0 ? [placeOf(others, second)] : [])],
      count: occurrences.length,
    };
  };
}

const WORD = /[\p{L}\p{M}\p{N}]+/uy;

/** A word may be longer than the one in the query; in scripts without spaces, everything is one word. */
function endOfWord(text: string, start: number, length: number): number {
  WORD.lastIndex = start;
  const found = WORD.exec(text)?.[0].length ?? length;
  return start + Math.min(found, Math.max(length, 3) * 2);
}
