/** The window with the most of a query in it: the one sliding sum behind ranking and excerpts. */

/** Where a word of a query stands, in words or in characters. */
export interface WordPlace {
  readonly word: number;
  readonly at: number;
}

/** A range of a list of places. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

/** Sums of the same weights in another order differ by less. */
const SAME = 1e-9;

/**
 * The first window shorter than `length` that has the greatest sum of the weights of different words. `places` are in
 * order; of none, the window is empty.
 */
export function bestWindow(places: readonly WordPlace[], weights: readonly number[], length: number): Window {
  const counts = new Uint32Array(weights.length);
  let sum = 0;
  let from = 0;
  let best: Window = { from: 0, to: 0, weight: 0 };
  for (let last = 0; last < places.length; last++) {
    const { word, at } = places[last]!;
    if (counts[word]!++ === 0) sum += weights[word]!;
    for (let first = places[from]!; at - first.at >= length; first = places[++from]!)
      if (--counts[first.word]! === 0) sum -= weights[first.word]!;
    if (sum > best.weight + SAME) best = { from, to: last + 1, weight: sum };
  }
  return best;
}
