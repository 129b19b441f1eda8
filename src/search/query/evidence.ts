/**
 * How near the words of a query stand to each other in a text. A note may hold all of them far apart and about other
 * things; the notes that answer mostly have them in one place.
 */
import { saturation } from '../../notes/text/bm25.ts';
import { createStemFinder, termOf } from '../../notes/text/stems.ts';
import { bestWindow, placesOf, type WordPlaces } from './best-window.ts';

/** Words in which the best place may lie. */
const WINDOW = 100;
const WINDOW_WEIGHT = 0.5;
/** Two words that are neighbours in the query count as near when so few words lie between them. */
const NEAR = 8;
const PAIR_WEIGHT = 0.5;

/** Scores a text; `relativeLength` is that of the note, 1 for the average. */
export type EvidenceOf = (text: string, relativeLength: number) => number;

/** `idfs` in the order of the words. */
export function createEvidence(words: readonly string[], idfs: readonly number[]): EvidenceOf {
  const find = createStemFinder(words, termOf);
  return (text, relativeLength) => {
    const found: { word: number; at: number }[] = [];
    find(text, (word, _, at) => found.push({ word, at }));
    return evidenceOf(placesOf(found), idfs, relativeLength);
  };
}

/** `places` of the words of the query in a text, counted in words. */
export function evidenceOf(places: WordPlaces, idfs: readonly number[], relativeLength: number): number {
  const { words, at } = places;
  if (at.length === 0) return 0;
  const placesOfWords: number[][] = idfs.map(() => []);
  for (let place = 0; place < at.length; place++) placesOfWords[words[place]!]!.push(at[place]!);
  return (
    WINDOW_WEIGHT * bestWindow(places, idfs, WINDOW).weight +
    PAIR_WEIGHT * nearPairs(placesOfWords, idfs, relativeLength)
  );
}

function nearPairs(
  places: readonly (readonly number[])[],
  idfs: readonly number[],
  relativeLength: number,
): number {
  let sum = 0;
  for (let word = 0; word + 1 < places.length; word++) {
    const times = timesNear(places[word]!, places[word + 1]!);
    if (times > 0) sum += Math.min(idfs[word]!, idfs[word + 1]!) * saturation(times, relativeLength);
  }
  return sum;
}

/** How many places of one word have one of the other near them. */
function timesNear(places: readonly number[], others: readonly number[]): number {
  let times = 0;
  let next = 0;
  for (const place of places) {
    while (next < others.length && others[next]! < place - NEAR) next++;
    if (next < others.length && others[next]! <= place + NEAR) times++;
  }
  return times;
}
