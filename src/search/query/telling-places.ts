/** The places of a text that say most about a query: where its rarest words stand together. */
import { type FoldedText, fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { createStemFinder, termOf } from '../../notes/text/stems.ts';
import { memoize } from '../../shared/memoize.ts';
import { bestWindow, placesOf, type WordPlaces } from './best-window.ts';

export interface TellingPlace {
  /** From the first to the last word of the query that belongs to it. */
  readonly start: number;
  readonly end: number;
  /** The end of the first word. */
  readonly firstEnd: number;
}

/** Where the words of a query stand in a text. */
export interface Occurrences {
  readonly places: WordPlaces;
  /** In the order of the words: the rarer, the greater. */
  readonly weights: readonly number[];
  /** The end of the word at a place, of which the number in the list is given. */
  endOf(place: number): number;
}

export const MOST_OCCURRENCES = 2_000;

/** Finds words in whatever form; undefined when there is none. `known`: their places, if the index knows them. */
export type WordFinder = (text: string, folded?: FoldedText, known?: WordPlaces) => Occurrences | undefined;

/** `weights` as in `Occurrences`. */
export function createWordFinder(words: readonly string[], weights: readonly number[]): WordFinder {
  const finder = memoize(() => createStemFinder(words, termOf));
  const lookThrough = (text: string, folded = fold(text, SEARCH_FOLDING)): WordPlaces => {
    const found: { word: number; at: number }[] = [];
    const visit = (word: number, at: number) => {
      if (found.length < MOST_OCCURRENCES) found.push({ word, at: folded.originalOffset(at) });
    };
    finder()(text, visit, folded);
    return placesOf(found);
  };
  return (text, folded, known = lookThrough(text, folded)) => {
    if (known.at.length === 0) return undefined;
    return {
      places: known,
      weights,
      endOf: (place) => endOfWord(text, known.at[place]!, words[known.words[place]!]!.length),
    };
  };
}

/** What a word counts for a further place when one before has it already. */
const SHOWN = 0.6;

/** At most `most`, the best one first; each is shorter than `length`, unless its only word is longer. */
export function tellingPlaces(
  text: string,
  { places, weights: given, endOf }: Occurrences,
  { most, length }: { readonly most: number; readonly length: number },
): TellingPlace[] {
  const lineAt = createLines(text, places.at);
  const weights = new Array<number>(given.length).fill(0);
  for (let place = 0; place < places.words.length; place++) {
    const word = places.words[place]!;
    weights[word] = given[word]!;
  }
  /** By place. Most hits show one place, and need none. */
  let isShown: boolean[] | undefined;
  const found: TellingPlace[] = [];
  while (found.length < most) {
    const line = bestLine(lineAt, places.words, weights, isShown);
    if (!line) break;
    const rest = notShown(line, isShown);
    const { from, to } = bestWindow(among(places, rest), weights, length);
    const first = rest[from]!;
    const firstEnd = endOf(first);
    let end = firstEnd;
    const shown: number[] = [];
    for (let at = from; at < to; at++) {
      const word = places.words[rest[at]!]!;
      end = Math.max(end, endOf(rest[at]!));
      if (!shown.includes(word)) shown.push(word);
    }
    found.push({ start: places.at[first]!, firstEnd, end });
    if (found.length === most) break;
    for (const word of shown) weights[word]! *= SHOWN;
    isShown ??= places.at.map(() => false);
    markShown(isShown, places.at, first, length);
  }
  return found;
}

function notShown({ from, to }: Line, isShown: readonly boolean[] | undefined): number[] {
  const rest: number[] = [];
  for (let place = from; place < to; place++) if (!isShown?.[place]) rest.push(place);
  return rest;
}

function among({ words, at }: WordPlaces, chosen: readonly number[]): WordPlaces {
  return { words: chosen.map((place) => words[place]!), at: chosen.map((place) => at[place]!) };
}

/** Marks the places around one of them. */
function markShown(isShown: boolean[], at: readonly number[], middle: number, length: number): void {
  for (let before = middle; before >= 0 && at[middle]! - at[before]! <= length; before--)
    isShown[before] = true;
  for (let after = middle; after < at.length && at[after]! - at[middle]! <= length; after++)
    isShown[after] = true;
}

/** A line, or a part of a long one, with words of the query: a range of their places. */
interface Line {
  readonly from: number;
  readonly to: number;
  readonly end: number;
  /** The line before it is one, too. */
  readonly follows: boolean;
}

const LONGEST_LINE = 400;

/** The lines by number, undefined after the last. They are made as they are asked for: often the first few are enough. */
function createLines(text: string, places: readonly number[]): (number: number) => Line | undefined {
  const lines: Line[] = [];
  return (number) => {
    while (lines.length <= number) {
      const before = lines.at(-1);
      const from = before?.to ?? 0;
      if (from === places.length) return undefined;
      lines.push(lineOf(text, places, from, before));
    }
    return lines[number];
  };
}

function lineOf(text: string, places: readonly number[], from: number, before: Line | undefined): Line {
  const at = places[from]!;
  const newline = text.indexOf('\n', at);
  const end = Math.min(newline < 0 ? text.length : newline, at + LONGEST_LINE);
  let to = from + 1;
  while (to < places.length && places[to]! <= end) to++;
  return { from, to, end, follows: before !== undefined && isLineAfter(text, before.end, at) };
}

/** Whether nothing but blanks lies between the end of a line and the line at `at`. */
function isLineAfter(text: string, end: number, at: number): boolean {
  let next = end;
  while (next < at && isBlank(text.charCodeAt(next))) next++;
  const newline = text.indexOf('\n', next);
  return newline < 0 || newline >= at;
}

function isBlank(unit: number): boolean {
  if (unit < 128) return unit === 32 || (unit >= 9 && unit <= 13);
  return /\s/.test(String.fromCharCode(unit));
}

/** What a word counts for the line after its own: a question is answered there, and a heading speaks of it. */
const BEFORE = 0.5;
/** Sums of the same weights in another order differ by less. */
const SAME = 1e-9;

/** The first line with the greatest weight of different words, of those that have some not shown yet. */
function bestLine(
  lineAt: (number: number) => Line | undefined,
  words: readonly number[],
  weights: readonly number[],
  isShown: readonly boolean[] | undefined,
): Line | undefined {
  const countedFor = new Array<number>(weights.length).fill(-1);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  let best: Line | undefined;
  let greatest = 0;
  let before: Line | undefined;
  for (let number = 0; ; number++) {
    // No line has more than all words.
    const line = greatest > all - SAME / 1000 ? undefined : lineAt(number);
    if (!line) return best;
    let weight = 0;
    for (let at = line.from; at < line.to; at++) {
      const word = words[at]!;
      if (isShown?.[at] || countedFor[word] === number) continue;
      countedFor[word] = number;
      weight += weights[word]!;
    }
    if (weight > 0 && line.follows && before)
      for (let at = before.from; at < before.to; at++) {
        const word = words[at]!;
        if (countedFor[word] === number) continue;
        countedFor[word] = number;
        weight += weights[word]! * BEFORE;
      }
    before = line;
    if (weight <= greatest + SAME) continue;
    greatest = weight;
    best = line;
  }
}

const WORD = /[\p{L}\p{M}\p{N}]+/uy;

/** A word may be longer than the one in the query; in scripts without spaces, everything is one word. */
function endOfWord(text: string, start: number, length: number): number {
  WORD.lastIndex = start;
  const found = WORD.test(text) ? WORD.lastIndex - start : length;
  return start + Math.min(found, Math.max(length, 3) * 2);
}
