/**
 * Matches indexed notes with a query and ranks them. A note whose name is the query comes first, then those that hold
 * the query as it stands, then those with its words: the more of them, the rarer and the nearer to each other, the
 * higher; a word that merely stands inside another comes last.
 */
import { termsOf } from '../../notes/text/tokens.ts';
import { editDistance } from '../../shared/nearest.ts';
import type { NoteIndex } from '../index/note-index.ts';
import type { WordSequence, WordSequences } from '../index/word-sequences.ts';
import type { NoteMeaning } from '../meaning/note-meaning.ts';
import { evidenceOf } from './evidence.ts';
import { hasVeryMany, likelyNotes } from './likely-notes.ts';
import { notesThatMayHold } from './literal-candidates.ts';
import type { SearchQuery } from './parse.ts';
import {
  bestScore,
  expandQuery,
  FEEDBACK_NOTES,
  groupIdf,
  importanceOf,
  inflectionsOf,
  KEPT_NOTES,
  liftByMeaning,
  scoreWords,
  type WordGroup,
  wordsLike,
} from './rank.ts';
import { bestNumbers } from './selection.ts';
import type { SequenceFinder } from './sequence-finder.ts';

const MOST = 20;

/** Words that begin like the given one, and words one or two slips away from it, nearest first. */
function similarWords(index: NoteIndex, word: string): WordGroup {
  const { vocabulary } = index;
  if (word.length < 3) return [];
  const begun = vocabulary
    .containing(word, 'start')
    .slice(0, MOST)
    .map((like) => ({ word: like, factor: 0.7 }));
  if (begun.length > 0 || word.length < 4) return begun;
  const slips = word.length < 8 ? 1 : 2;
  const near: { word: number; factor: number }[] = [];
  for (const like of vocabulary.maybeNear(word, slips)) {
    const distance = editDistance(word, vocabulary.word(like), slips + 1);
    if (distance <= slips) near.push({ word: like, factor: 0.6 / distance });
  }
  return near.sort((a, b) => b.factor - a.factor).slice(0, MOST);
}

export interface Matches {
  /** Note numbers, in no order. */
  readonly numbers: number[];
  /** By note number; higher is better. */
  readonly rank: Float32Array;
  /** By note number: how many of the words the note holds, and at least 1 for those in `numbers`. */
  readonly matched: Uint8Array;
  /** The notes with words of the query, whether they are accepted or not: no others than these and `numbers` have a rank. */
  readonly touched?: readonly number[];
  /** By note number, where others with words of the query are left out: 1 for those that are not. */
  readonly among?: Uint8Array | undefined;
}

export interface MatchTools {
  readonly index: NoteIndex;
  readonly isSlice?: boolean | undefined;
  /** Absent when only words count, and until it is known. */
  readonly meaning?: NoteMeaning | undefined;
  /** The words of the index that stand for each word of the query. */
  readonly groups: () => readonly WordGroup[];
  /** Absent when every note will do. */
  readonly accepts?: (number: number) => boolean;
  readonly textOf: (number: number) => Promise<string | undefined> | string | undefined;
  readonly sequences: WordSequences;
  /** Reads a note for the sequence of its words; undefined for one that cannot be read, or is too large. */
  readonly sequenceOf: (number: number) => Promise<WordSequence | undefined> | WordSequence | undefined;
  readonly findIn: () => SequenceFinder;
  /** Splits the numbers into batches and prefetches the texts of each. */
  readonly inBatches: (
    numbers: readonly number[],
  ) => AsyncIterable<readonly number[]> | Iterable<readonly number[]>;
  /** `isOneOfMany`: its text is not likely to be looked at again. */
  readonly holdsLiteral: (number: number, isOneOfMany: boolean) => Promise<boolean> | boolean;
  /** Whether a text holds a folded piece of text. */
  readonly holdsPiece: (text: string, piece: string) => boolean;
  readonly breathe: () => Promise<unknown> | true;
  /** How many of the best notes are read to see where the words stand in them. */
  readonly read: number;
  /** Of very many notes, too, none with a word of the query may be left out. */
  readonly isAllWanted: boolean;
}

/** For a note whose title or alias is the query. */
export const NAME_BONUS = 10_000;
/** For a note that holds the query as it stands. */
export const LITERAL_BONUS = 1_000;
/** Of notes with all the words, how many of the best are read to see whether the query stands there. */
const CHECKED_WITH_ALL_WORDS = 24;
/** Of notes that may hold the query across its words' edges. */
const CHECKED_WITHOUT = 2_000;
/** Where the likeliest of very many notes are among the others already. */
const CHECKED_OF_VERY_MANY = 200;

/** A single word is looked for as such: words that only begin alike would be most of the answer. */
export function groupsFor(index: NoteIndex, words: readonly string[]): WordGroup[] {
  return words.map((word) => (words.length === 1 ? inflectionsOf(index, word) : wordsLike(index, word)));
}

interface Wanted {
  /** How many notes fill the page. */
  readonly wanted: number;
  /** How many of the best must be in their order. */
  readonly ranked: number;
  /** Nothing was found elsewhere, so similar words are tried when no word matches. */
  readonly isLast: boolean;
}

export async function matchNotes(tools: MatchTools, query: SearchQuery, options: Wanted): Promise<Matches> {
  const { index } = tools;
  const { words } = query.indexed;
  const groups = tools.groups();
  const named = index.named(query.indexed.literal);
  const matches = await matchWords(tools, query, groups, { ...options, named });
  liftNamed(tools, named, matches);
  if (!options.isLast || matches.numbers.length > 0 || groups.every((group) => group.length > 0))
    return matches;
  const wider = groups.map((group, at) => (group.length > 0 ? group : similarWords(index, words[at] ?? '')));
  index.scratch.giveBack(matches.rank, matches.matched, matches.among);
  return matchSome(tools, wider);
}

async function matchWords(
  tools: MatchTools,
  query: SearchQuery,
  groups: readonly WordGroup[],
  { wanted, ranked, named }: Wanted & { readonly named: readonly number[] },
): Promise<Matches> {
  const importance = importanceOf(query);
  const matches = matchSome(tools, groups, importance);
  if (groups.length === 1 && query.indexed.literal === query.indexed.words[0]) {
    // Notes with the query inside a longer word are needed only when the others do not fill the page.
    if (matches.numbers.length < wanted) await addInside(tools, query, matches);
    return matches;
  }
  const likely = await liftNear(tools, groups, matches, importance);
  if (isQuestion(query) && !tools.isSlice) await learn(tools, matches, groups.length);
  const lift =
    tools.meaning && liftByMeaning(tools.meaning, query.indexed.words, matches, { wanted: ranked, likely });
  await liftLiteral(tools, query, matches, { words: groups.length, ranked, lift, named });
  return matches;
}

function liftNamed({ index, accepts }: MatchTools, named: readonly number[], matches: Matches): void {
  for (const number of named) {
    if (index.sizes[number] === 0 || accepts?.(number) === false) continue;
    matches.rank[number]! += NAME_BONUS;
    if (matches.matched[number] !== 0) continue;
    matches.matched[number] = 1;
    matches.numbers.push(number);
  }
}

/** Where few words stand matters for the order of the first notes only. */
const FEW_WORDS = 3;
const READ_FOR_FEW = 10;

/** Reads the best notes, and returns their numbers: those in which the words of the query stand together rise. */
async function liftNear(
  { index, sequences, sequenceOf, findIn, inBatches, breathe, read }: MatchTools,
  groups: readonly WordGroup[],
  { numbers, rank }: Matches,
  importance: readonly number[],
): Promise<readonly number[]> {
  if (groups.length < 2) return [];
  const idfs = groups.map((group, at) => importance[at]! * groupIdf(index, group));
  const find = findIn();
  const { sizes, averageLength } = index;
  const best = bestNumbers(numbers, rank, read, index);
  const looked = groups.length > FEW_WORDS ? best : best.slice(0, READ_FOR_FEW);
  for await (const batch of inBatches(looked))
    for (const number of batch) {
      const pause = breathe();
      if (pause !== true) await pause;
      const known = sequences.peek(number) ?? sequenceOf(number);
      const sequence = known instanceof Promise ? await known : known;
      if (sequence) rank[number]! += evidenceOf(find(sequence).places, idfs, sizes[number]! / averageLength);
    }
  return best;
}

/** Feedback is for queries of at least so many words, and so many of them telling. */
const WORDS_OF_A_QUESTION = 5;
const TELLING_WORDS = 3;

/** Whoever names a few words has chosen them; a question in whole sentences has few of the words of its answer. */
function isQuestion({ indexed: { literal, words } }: SearchQuery): boolean {
  return words.length >= TELLING_WORDS && termsOf(literal).length >= WORDS_OF_A_QUESTION;
}

/** Words of each of the best notes that are read for feedback. */
const READ_WORDS = 4_000;

/** Feedback from the best notes reorders those behind them: the best are better judged by the query itself. */
async function learn(
  { index, sequences, sequenceOf }: MatchTools,
  { numbers, rank, among }: Matches,
  words: number,
): Promise<void> {
  const kept = bestNumbers(numbers, rank, KEPT_NOTES);
  const before = kept.map((number) => rank[number]!);
  const teachers = kept.slice(0, FEEDBACK_NOTES);
  const total = teachers.reduce((sum, number) => sum + rank[number]!, 0);
  const notes = await Promise.all(
    teachers.map(async (number, at) => ({
      words:
        (sequences.peek(number) ?? (await sequenceOf(number)))?.words.subarray(0, READ_WORDS) ??
        new Uint32Array(0),
      weight: before[at]! / total,
    })),
  );
  expandQuery(index, sequences.sharesIn(notes), { numbers, rank, words, among });
  keepFirst(kept, before, { numbers, rank });
}

/** Puts these notes, in this order, before all others again. */
function keepFirst(
  first: readonly number[],
  before: readonly number[],
  { numbers, rank }: Pick<Matches, 'numbers' | 'rank'>,
): void {
  for (const number of first) rank[number] = 0;
  const lift = Math.max(0, bestScore(numbers, rank) - before.at(-1)! + ABOVE);
  first.forEach((number, at) => {
    rank[number] = before[at]! + lift;
  });
}

/** A step in rank that 32-bit numbers can tell. */
const ABOVE = 0.01;

function matchSome(
  { index, accepts, isAllWanted }: MatchTools,
  groups: readonly WordGroup[],
  importance?: readonly number[],
): Matches {
  const among = isAllWanted ? undefined : likelyNotes(index, groups);
  const { score, matched, touched } = scoreWords(index, groups, importance, among);
  return { numbers: accepts ? touched.filter(accepts) : touched, rank: score, matched, touched, among };
}

async function addInside(tools: MatchTools, query: SearchQuery, matches: Matches): Promise<void> {
  const { certain = [], possible = [] } = notesThatMayHold(tools.index, query.indexed.literal) ?? {};
  for (const number of certain) add(tools, matches, number);
  const asked = possible.filter((number) => matches.matched[number] === 0);
  await forEachHolder(tools, asked, (number) => add(tools, matches, number));
}

/** Texts that are worth keeping at hand: more would evict those of other searches. */
const MANY_TEXTS = 500;

/** Calls `visit` for those of the notes that hold the query as it stands, up to the first that `isEnough` is true for. */
export async function forEachHolder(
  { inBatches, holdsLiteral, breathe }: MatchTools,
  numbers: readonly number[],
  visit: (number: number) => void,
  isEnough?: (number: number) => boolean,
): Promise<void> {
  const isOneOfMany = numbers.length > MANY_TEXTS;
  for await (const batch of inBatches(numbers))
    for (const number of batch) {
      if (isEnough?.(number)) return;
      const pause = breathe();
      if (pause !== true) await pause;
      const holds = holdsLiteral(number, isOneOfMany);
      if (holds === true || (holds !== false && (await holds))) visit(number);
    }
}

function add({ accepts }: MatchTools, { numbers, matched }: Matches, number: number): void {
  if (matched[number] !== 0 || accepts?.(number) === false) return;
  matched[number] = 1;
  numbers.push(number);
}

interface LiteralLift {
  /** How many words the query has. */
  readonly words: number;
  /** How many of the best must be in their order. */
  readonly ranked: number;
  /** Lifts a note by its meaning. */
  readonly lift: ((number: number) => void) | undefined;
  /** The notes whose title or alias is the query. */
  readonly named: readonly number[];
}

/** Notes that hold the query as it stands rise. */
async function liftLiteral(
  tools: MatchTools,
  { indexed: { literal } }: SearchQuery,
  matches: Matches,
  { words, ranked, lift, named }: LiteralLift,
): Promise<void> {
  const { index, accepts } = tools;
  const { rank, matched, among } = matches;
  const candidates = notesThatMayHold(index, literal);
  // Signs and single letters ("§", ": the b") are no words by which a note is found otherwise.
  const isWordless = words === 0 && !hasVeryMany(index);
  const most = isWordless ? index.size : among ? CHECKED_OF_VERY_MANY : CHECKED_WITHOUT;
  const possible = candidates ? [...candidates.certain, ...candidates.possible] : [...index.numbers()];
  const complete: number[] = [];
  const others: number[] = [];
  for (const number of possible) {
    const hasAllWords = words > 1 && matched[number] === words;
    if (!hasAllWords && others.length === most) continue;
    (hasAllWords ? complete : others).push(number);
    if (matched[number] !== 0) lift?.(number);
  }
  const asked = [...bestNumbers(complete, rank, CHECKED_WITH_ALL_WORDS), ...others].filter(
    (number) => accepts?.(number) !== false,
  );
  // A note that is not found by its words counts for the total, and those named alike are compared with each other.
  const isSure = (number: number) => matched[number] === 0 || named.includes(number);
  const sure = asked.filter(isSure);
  const found = sure.length === 0 ? asked : asked.filter((number) => !isSure(number));
  if (sure.length > 0)
    await forEachHolder(tools, sure, (number) => {
      rank[number]! += LITERAL_BONUS;
      add(tools, matches, number);
    });
  await liftBest(tools, found, rank, ranked);
}

/** The likeliest are read first, and none that could not come among the `ranked` best. */
async function liftBest(
  tools: MatchTools,
  numbers: readonly number[],
  rank: Float32Array,
  ranked: number,
): Promise<void> {
  let holders = 0;
  let least = 0;
  const raise = (number: number) => {
    rank[number]! += LITERAL_BONUS;
    if (++holders === ranked) least = rank[number]!;
  };
  const isTooLow = (number: number) =>
    holders >= ranked && Math.fround(rank[number]! + LITERAL_BONUS) < least;
  const first = bestNumbers(numbers, rank, CHECKED_WITH_ALL_WORDS);
  await forEachHolder(tools, first, raise, isTooLow);
  if (numbers.length === first.length || isTooLow(first.at(-1)!)) return;
  const looked = new Set(first);
  const rest = numbers.filter((number) => !looked.has(number));
  await forEachHolder(tools, bestNumbers(rest, rank, rest.length), raise, isTooLow);
}
