/** The window with the most of a query in it: the one sliding sum behind ranking and excerpts. */

/**
 * Where words of a query stand, in order. Two lists of numbers, since a search looks at many notes, and a note may have
 * thousands of places. No typed arrays: most notes have about fifty places, and for so many a plain one is made sooner.
 */
export interface WordPlaces {
  /** The numbers of the words in the query. */
  readonly words: readonly number[];
  /** In words or in characters. */
  readonly at: readonly number[];
}

export function placesOf(found: readonly { readonly word: number; readonly at: number }[]): WordPlaces {
  return { words: found.map(({ word }) => word), at: found.map(({ at }) => at) };
}

/** A range of a list of places. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

/** Sums of the same weights in another order differ by less. */
const SAME = 1e-9;

/** The first window shorter than `length` that has the greatest sum of the weights of different words; of no places, an empty one. */
export function bestWindow({ words, at }: WordPlaces, weights: readonly number[], length: number): Window {
  const counts = new Uint32Array(weights.length);
  let sum = 0;
  let from = 0;
  let best: Window = { from: 0, to: 0, weight: 0 };
  for (let last = 0; last < at.length; last++) {
    const word = words[last]!;
    if (counts[word]!++ === 0) sum += weights[word]!;
    for (; at[last]! - at[from]! >= length; from++) {
      const first = words[from]!;
      if (--counts[first]! === 0) sum -= weights[first]!;
    }
    if (sum > best.weight + SAME) best = { from, to: last + 1, weight: sum };
  }
  return best;
}
