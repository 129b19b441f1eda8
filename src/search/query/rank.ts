/**
 * Scores notes for a list of words by BM25 over words and their inflections. Any word may match; the more of
 * them and the rarer, the higher.
 */

import { idf, saturation } from '../../notes/text/bm25.ts';
import { lemmaOf } from '../../notes/text/stems.ts';
import type { NoteIndex } from '../index/note-index.ts';
import type { NoteList } from '../index/postings.ts';
import type { WordShares } from '../index/word-sequences.ts';
import type { NoteMeaning } from '../meaning/note-meaning.ts';
import type { SearchQuery } from './parse.ts';
import { bestNumbers, MANY } from './selection.ts';

/** An inflection counts almost as much as the word itself. */
const INFLECTED = 0.9;
/** A word that only begins alike: an inflection in another language, or another word. */
export const ALIKE = 0.3;

/** Index words that stand for one word of the query, and how much each counts. */
export type WordGroup = readonly { readonly word: number; readonly factor: number }[];

interface Scores {
  /** By note number. */
  readonly score: Float32Array;
  /** How many of the words the note holds. */
  readonly matched: Uint8Array;
  /** Note numbers with a score. */
  readonly touched: number[];
}

/** Index words with the same stem as `word`, itself included, and words that begin as it does. */
export function wordsLike(index: NoteIndex, word: string): WordGroup {
  return groupOf(index, word, ALIKE);
}

/** Index words with the same stem as `word`, itself included. */
export function inflectionsOf(index: NoteIndex, word: string): WordGroup {
  return groupOf(index, word, 0);
}

function groupOf({ vocabulary, stems }: NoteIndex, word: string, ofAlike: number): WordGroup {
  const exact = vocabulary.find(word);
  const group: { word: number; factor: number }[] = [];
  stems.forEachLike(word, (like, isInflection) => {
    const factor = like === exact ? 1 : isInflection ? INFLECTED : ofAlike;
    if (factor > 0) group.push({ word: like, factor });
  });
  return group;
}

/** The IDF of a group, by an upper bound of its document frequency: notes with two of its words count twice. */
export function groupIdf(index: NoteIndex, group: WordGroup): number {
  const count = group.reduce((sum, like) => sum + index.postings.countOf(like.word), 0);
  return idf(Math.min(count, index.size), index.size);
}

/** The document frequency of the word and its inflections: an upper bound, as notes with two of them count twice. */
export function holdersOf(index: NoteIndex, word: string): number {
  const count = inflectionsOf(index, word).reduce((sum, like) => sum + index.postings.countOf(like.word), 0);
  return Math.min(count, index.size);
}

/** `importance` is a weight per group. With `among`, only the notes that it has a number for are scored. */
export function scoreWords(
  index: NoteIndex,
  groups: readonly WordGroup[],
  importance?: readonly number[],
  among?: Uint8Array,
): Scores {
  const score = index.scratch.zeros();
  const matched = index.scratch.marks();
  const weights = index.scratch.zeros();
  const { sizes, averageLength } = index;
  const touched: number[] = [];
  for (const [at, group] of groups.entries()) {
    const holders = index.scratch.emptyList();
    for (const { word, factor } of group)
      index.postings.addTo(weights, word, factor, among ?? sizes, holders);
    const factor =
      (among ? groupIdf(index, group) : idf(holders.length, index.size)) * (importance?.[at] ?? 1);
    addScores(holders, weights, sizes, averageLength, factor, { score, matched, touched });
  }
  index.scratch.giveBackZeros(weights);
  return { score, matched, touched };
}

// Thousands of notes hold a common word, and the first searches run before V8 has compiled their code. These loops
// are small functions over arrays of numbers, which V8 compiles soon, and once for all queries.

/** Leaves the weights zero, for the next word. */
function addScores(
  { values, length }: NoteList,
  weights: Float32Array,
  sizes: Uint32Array,
  averageLength: number,
  factor: number,
  { score, matched, touched }: Scores,
): void {
  for (let at = 0; at < length; at++) {
    const note = values[at]!;
    score[note]! += factor * saturation(weights[note]!, sizes[note]! / averageLength);
    weights[note] = 0;
    if (matched[note]!++ === 0) touched.push(note);
  }
}

export const FEEDBACK_NOTES = 3;
/** So many of the best stay the best, in their order. */
export const KEPT_NOTES = 5;
const TYPICAL_WORDS = 10;
const SHARE = 0.4;

/**
 * Pseudo-relevance feedback. A question in whole sentences has few of the words that its answers use; words that are
 * typical of the best notes found so far, of which `shares` are the words, are added to it with a small weight. It
 * reorders notes and adds none.
 */
export function expandQuery(
  index: NoteIndex,
  shares: WordShares,
  {
    numbers,
    rank,
    words,
    among,
  }: {
    numbers: readonly number[];
    rank: Float32Array;
    words: number;
    among?: Uint8Array | undefined;
  },
): void {
  const typical = typicalWords(index, shares);
  const sum = typical.reduce((total, { weight }) => total + weight, 0);
  if (sum === 0) return;
  const { score, matched } = scoreWords(
    index,
    typical.map(({ group }) => group),
    typical.map(({ weight }) => weight / sum),
    among,
  );
  const factor = (words * SHARE) / (1 - SHARE);
  for (const number of numbers) rank[number]! += factor * score[number]!;
  index.scratch.giveBack(score, matched);
}

/** Words of which the inflections are looked at; they change the order of the first ten a little. */
const LOOKED_AT = 40;
const SHORTEST = 3;

interface TypicalWord {
  readonly group: WordGroup;
  readonly weight: number;
}

/** Words frequent in the notes they are of and rare in others. */
function typicalWords(index: NoteIndex, shares: WordShares): TypicalWord[] {
  const { postings, size } = index;
  const typical: TypicalWord[] = [];
  for (const { word, share, holders } of frequentWords(index, shares)) {
    // With its inflections, a word has more holders and less weight than alone.
    const least = typical.length < TYPICAL_WORDS ? 0 : typical.at(-1)!.weight;
    if (share * idf(holders, size) < least) continue;
    const group = inflectionsOf(index, word);
    const all = group.reduce((total, each) => total + postings.countOf(each.word), 0);
    typical.push({ group, weight: share * idf(all, size) });
    typical.sort((a, b) => b.weight - a.weight).splice(TYPICAL_WORDS);
  }
  return typical;
}

interface FrequentWord {
  readonly word: string;
  /** The share of the word and its inflections. */
  share: number;
  /** How many notes hold the word itself. */
  readonly holders: number;
}

/** Each with its inflections among the most frequent, the weightiest first. */
function frequentWords(
  { vocabulary, postings, size }: NoteIndex,
  { words, shares }: WordShares,
): Iterable<FrequentWord> {
  const weights = new Float32Array(words.length);
  for (let at = 0; at < words.length; at++)
    if (vocabulary.lengthOf(words[at]!) >= SHORTEST)
      weights[at] = shares[at]! * idf(postings.countOf(words[at]!), size);
  const byLemma = new Map<string, FrequentWord>();
  for (const at of bestNumbers([...words.keys()], weights, LOOKED_AT)) {
    const word = vocabulary.word(words[at]!);
    if (word.length < SHORTEST || /^\d+$/.test(word)) continue;
    const known = byLemma.get(lemmaOf(word));
    if (known) known.share += shares[at]!;
    else byLemma.set(lemmaOf(word), { word, share: shares[at]!, holders: postings.countOf(words[at]!) });
  }
  return byLemma.values();
}

/** What each further time adds to the weight of a word that the query has more than once. */
const REPEATED = 0.6;

/** A weight for each word of a query, by how often the query has it. */
export function importanceOf({ times }: SearchQuery): number[] {
  return times.map((count) => 1 + REPEATED * (count - 1));
}

/** How much of the best score the nearness of a note in meaning can add. */
export const MEANING_SHARE = 0.2;
/**
 * Of so few notes with words of the query, its words tell enough, and its language may be one of few notes; of so many,
 * meaning counts in full.
 */
const FEW_MATCHES = 300;
const MANY_MATCHES = 800;
/** A step in rank that 32-bit numbers can tell. */
const ABOVE = 0.01;

/**
 * Notes that are about what the words are about rise; the best one stays the first. Only the first `wanted` notes are
 * sure to have their place: a note that is too low to come among them is not looked at. Returns a function that lifts
 * one of those. `likely` are some of the best, the very best among them,
 * where the caller knows them.
 */
export function liftByMeaning(
  meaning: Pick<NoteMeaning, 'nearnessTo' | 'trust'>,
  words: readonly string[],
  { numbers, rank }: { readonly numbers: readonly number[]; readonly rank: Float32Array },
  { wanted, likely = [] }: { readonly wanted: number; readonly likely?: readonly number[] },
): (number: number) => void {
  const trust = meaning.trust * along(FEW_MATCHES, MANY_MATCHES, numbers.length);
  const nearness = trust > 0 ? meaning.nearnessTo(words) : undefined;
  if (!nearness) return () => undefined;
  const first = bestNumber(likely.length > 0 ? likely : numbers, rank);
  const best = first === undefined ? 0 : rank[first]!;
  const share = MEANING_SHARE * trust;
  const factor = (best * share) / (1 - share);
  const liftOf = (number: number) => factor * Math.max(0, nearness(number));
  // No note rises by more than the factor, and the best ones have risen, too.
  const least = leastRisen({ numbers, rank }, wanted, likely, liftOf) - factor * NEAREST;
  let after = 0;
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at]!;
    if (rank[number]! < least) continue;
    rank[number]! += liftOf(number);
    if (rank[number]! > after) after = rank[number]!;
  }
  if (first !== undefined && rank[first]! < after) rank[first] = after + ABOVE;
  return (number) => {
    if (rank[number]! < least) rank[number]! += liftOf(number);
  };
}

/**
 * What the last of the `wanted` best notes has at least once all have risen, by those of `likely`. Less than any rank when
 * there are no more than those, and when they are so many that sorting would take longer than what it spares.
 */
function leastRisen(
  { numbers, rank }: { readonly numbers: readonly number[]; readonly rank: Float32Array },
  wanted: number,
  likely: readonly number[],
  liftOf: (number: number) => number,
): number {
  if (wanted > MANY || numbers.length <= wanted) return Number.NEGATIVE_INFINITY;
  const some = likely.length < wanted ? bestNumbers(numbers, rank, wanted) : likely;
  const risen = new Float32Array(some.length);
  for (let at = 0; at < some.length; at++) risen[at] = rank[some[at]!]! + liftOf(some[at]!);
  return risen.sort().at(-wanted)!;
}

/** The greatest cosine, with what rounding to bytes can add. */
const NEAREST = 1.02;

/** 0 up to `from`, 1 from `to` on. */
function along(from: number, to: number, value: number): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)));
}

export function bestScore(numbers: readonly number[], rank: Float32Array): number {
  const best = bestNumber(numbers, rank);
  return best === undefined ? 0 : rank[best]!;
}

/** The first number with the greatest score, if any has one. */
function bestNumber(numbers: readonly number[], rank: Float32Array): number | undefined {
  let best: number | undefined;
  let greatest = 0;
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at]!;
    if (rank[number]! <= greatest) continue;
    greatest = rank[number]!;
    best = number;
  }
  return best;
}
