/** The places of a text that say most about a query: where its rarest words stand, in whatever form. */
import { createStemFinder, termOf } from '../../notes/text/stems.ts';

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

interface Occurrence {
  readonly word: number;
  readonly start: number;
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
    const found: Occurrence[] = [];
    const { originalOffset } = find(text, (word, start) => {
      if (found.length < MOST_OCCURRENCES) found.push({ word, start });
    });
    const occurrences = found.map(({ word, start }) => ({ word, start: originalOffset(start) }));
    const first = bestRange(occurrences, weights);
    if (!first) return { places: [], count: 0 };
    const seen = new Set(occurrences.slice(first.from, first.to).map(({ word }) => word));
    const others = occurrences.filter(
      ({ start }) => Math.abs(start - occurrences[first.from]!.start) > PLACE_LENGTH,
    );
    const second = bestRange(
      others,
      weights.map((weight, word) => (seen.has(word) ? weight * SEEN : weight)),
    );
    const placeOf = (among: readonly Occurrence[], { from, to }: Range): TellingPlace => {
      const ends = among
        .slice(from, to)
        .map(({ word, start }) => endOfWord(text, start, words[word]!.length));
      return { start: among[from]!.start, firstEnd: ends[0]!, end: Math.max(...ends) };
    };
    return {
      places: [placeOf(occurrences, first), ...(second ? [placeOf(others, second)] : [])],
      count: occurrences.length,
    };
  };
}

/** Of a list of occurrences. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** The first range that has the greatest sum of the weights of different words within the length of a place. */
function bestRange(occurrences: readonly Occurrence[], weights: readonly number[]): Range | undefined {
  const counts = new Uint32Array(weights.length);
  let sum = 0;
  let from = 0;
  let best: (Range & { readonly sum: number }) | undefined;
  for (const [at, { word, start }] of occurrences.entries()) {
    if (counts[word]!++ === 0) sum += weights[word]!;
    for (let first = occurrences[from]!; start - first.start > PLACE_LENGTH; first = occurrences[++from]!)
      if (--counts[first.word]! === 0) sum -= weights[first.word]!;
    if (best === undefined || sum > best.sum + 1e-9) best = { from, to: at + 1, sum };
  }
  return best;
}

const WORD = /[\p{L}\p{M}\p{N}]+/uy;

/** A word may be longer than the one in the query; in scripts without spaces, everything is one word. */
function endOfWord(text: string, start: number, length: number): number {
  WORD.lastIndex = start;
  const found = WORD.exec(text)?.[0].length ?? length;
  return start + Math.min(found, Math.max(length, 3) * 2);
}
