/**
 * Matches indexed notes with a query and ranks them. Notes that hold the query as it stands come first, then those
 * with all of its words, then those with some; a word that merely stands inside another comes last.
 */
import { forEachToken, joinsWords, LONG_RUN_MARK, MAX_TOKEN } from '../../notes/text/tokens.ts';
import { editDistance } from '../../shared/nearest.ts';
import type { NoteIndex } from '../index/note-index.ts';
import { bestNumbers } from './order.ts';
import type { SearchQuery } from './parse.ts';
import {
  expandQuery,
  FEEDBACK_NOTES,
  inflectionsOf,
  scoreWords,
  WORDS_OF_A_QUESTION,
  type WordGroup,
} from './rank.ts';

/**
 * The notes that can hold a piece of text as it stands. The words inside the piece must be words of the note;
 * the one at its beginning may be the end of a word, the one at its end the beginning of one, and a single
 * one may stand inside. The text of a candidate still has to be checked, except for a single word.
 */

interface LiteralCandidates {
  /** Numbers of notes whose words alone prove it. */
  readonly certain: readonly number[];
  /** Numbers of notes whose text has to be read. */
  readonly possible: readonly number[];
}

/** Open where the word it belongs to may go on. */
interface Token {
  readonly text: string;
  readonly openLeft: boolean;
  readonly openRight: boolean;
}

/** So few are looked into sooner than all the notes with words that begin with a single letter. */
const FEW = 24;

const isWhole = ({ openLeft, openRight }: Token) => !openLeft && !openRight;

/** Undefined when the piece holds nothing that is indexed (`++`): then any note can hold it. */
function notesThatMayHold(index: NoteIndex, piece: string): LiteralCandidates | undefined {
  const tokens: Token[] = [];
  forEachToken(piece, (start, end) => {
    const text = piece.slice(start, end);
    const openLeft = start === 0 && joinsWords(text);
    const openRight = (end === piece.length || text.length === MAX_TOKEN) && joinsWords(text);
    tokens.push({ text, openLeft, openRight });
  });
  if (tokens.length === 0) return undefined;
  // A whole word is one word of the index, and often leaves no note for the many that the others can be part of.
  const stages = [...tokens.filter(isWhole), ...tokens.filter((token) => !isWhole(token))].slice(0, 250);
  /** How many of the tokens, from the first on, the note holds. */
  const reached = new Uint8Array(index.span);
  const { sizes } = index;
  let holders: number[] = [];
  let stagesDone = 0;
  for (const [stage, token] of stages.entries()) {
    holders = [];
    for (const word of wordsFor(index, token)) {
      index.postings.forEach(word, (note) => {
        if (reached[note] !== stage || sizes[note] === 0) return;
        reached[note] = stage + 1;
        holders.push(note);
      });
    }
    stagesDone = stage + 1;
    if (holders.length <= FEW) break;
  }
  const isProof = tokens.length === 1 && tokens[0]?.text === piece;
  const others = notesWithLongRuns(index).filter((note) => reached[note] !== stagesDone);
  return isProof
    ? { certain: holders, possible: others }
    : { certain: [], possible: [...holders, ...others] };
}

/** Notes with runs too long to be indexed whole can hold anything. */
function notesWithLongRuns(index: NoteIndex): number[] {
  const mark = index.vocabulary.find(LONG_RUN_MARK);
  const notes: number[] = [];
  if (mark !== undefined) index.postings.forEach(mark, (note) => void (index.note(note) && notes.push(note)));
  return notes;
}

function wordsFor(index: NoteIndex, { text, openLeft, openRight }: Token): readonly number[] {
  if (openLeft || openRight) {
    const place = openLeft && openRight ? 'anywhere' : openLeft ? 'end' : 'start';
    return index.vocabulary.containing(text, place);
  }
  const word = index.vocabulary.find(text);
  return word === undefined ? [] : [word];
}

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
  const { length } = word;
  for (const like of vocabulary.beginningWith(word.charCodeAt(0), length - slips, length + slips)) {
    const distance = editDistance(word, vocabulary.word(like), slips + 1);
    if (distance <= slips) near.push({ word: like, factor: 0.6 / distance });
  }
  return near.sort((a, b) => b.factor - a.factor).slice(0, MOST);
}

interface Matches {
  /** Note numbers, in no order. */
  readonly numbers: number[];
  /** By note number; higher is better. */
  readonly rank: Float32Array;
  /** By note number: 1 for those in `numbers`. */
  readonly isIn: Uint8Array;
}

interface MatchTools {
  readonly index: NoteIndex;
  /** Absent when every note will do. */
  readonly accepts?: (number: number) => boolean;
  readonly textOf: (number: number) => Promise<string | undefined>;
  /** Splits the numbers into batches and prefetches the texts of each. */
  readonly inBatches: (numbers: readonly number[]) => AsyncIterable<readonly number[]>;
  readonly holdsLiteral: (number: number) => Promise<boolean>;
}

export const LITERAL_BONUS = 1_000;
export const ALL_WORDS_BONUS = 500;
/** Of notes with all the words, how many of the best are read to see whether the words stand together. */
const CHECKED_WITH_ALL_WORDS = 24;
/** Of notes that may hold the query across its words' edges. */
const CHECKED_WITHOUT = 2_000;

/** `isLast`: nothing was found elsewhere, so similar words are tried when no word matches. */
export async function matchNotes(
  tools: MatchTools,
  query: SearchQuery,
  { wanted, isLast }: { wanted: number; isLast: boolean },
): Promise<Matches> {
  const { words } = query.indexed;
  const groups = words.map((word) => inflectionsOf(tools.index, word));
  const matches = await matchWords(tools, query, groups, wanted);
  if (!isLast || matches.numbers.length > 0 || groups.every((group) => group.length > 0)) return matches;
  const wider = groups.map((group, at) =>
    group.length > 0 ? group : similarWords(tools.index, words[at] ?? ''),
  );
  return matchSome(tools, wider);
}

async function matchWords(
  tools: MatchTools,
  query: SearchQuery,
  groups: readonly WordGroup[],
  wanted: number,
): Promise<Matches> {
  const matches = matchSome(tools, groups);
  if (groups.length === 1 && query.indexed.literal === query.indexed.words[0]) {
    // Notes with the query inside a longer word are needed only when the others do not fill the page.
    if (matches.numbers.length < wanted) await addInside(tools, query, matches);
    return matches;
  }
  await liftLiteral(tools, query, matches, groups.length);
  if (groups.length >= WORDS_OF_A_QUESTION) await learn(tools, matches, groups.length);
  return matches;
}

async function learn(
  { index, textOf }: MatchTools,
  { numbers, rank }: Matches,
  words: number,
): Promise<void> {
  const teachers = bestNumbers(numbers, rank, FEEDBACK_NOTES);
  // A note with all the words needs no feedback.
  if (teachers.some((number) => rank[number]! >= ALL_WORDS_BONUS)) return;
  const total = teachers.reduce((sum, number) => sum + rank[number]!, 0);
  const texts = await Promise.all(
    teachers.map(async (number) => ({
      text: (await textOf(number)) ?? '',
      weight: rank[number]! / total,
    })),
  );
  expandQuery(index, texts, { numbers, rank, words });
}

function matchSome({ index, accepts }: MatchTools, groups: readonly WordGroup[]): Matches {
  const { score, matched, touched } = scoreWords(index, groups);
  const numbers = accepts ? touched.filter(accepts) : touched;
  if (groups.length > 1) addBonus(score, numbers, matched, groups.length);
  return { numbers, rank: score, isIn: matched };
}

function addBonus(score: Float32Array, numbers: readonly number[], matched: Uint8Array, words: number): void {
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at]!;
    if (matched[number] === words) score[number]! += ALL_WORDS_BONUS;
  }
}

async function addInside(tools: MatchTools, query: SearchQuery, matches: Matches): Promise<void> {
  const { certain = [], possible = [] } = notesThatMayHold(tools.index, query.indexed.literal) ?? {};
  for (const number of certain) add(tools, matches, number);
  const asked = possible.filter((number) => matches.isIn[number] === 0);
  for await (const batch of tools.inBatches(asked))
    for (const number of batch) if (await tools.holdsLiteral(number)) add(tools, matches, number);
}

function add({ accepts }: MatchTools, { numbers, isIn }: Matches, number: number): void {
  if (isIn[number] !== 0 || accepts?.(number) === false) return;
  isIn[number] = 1;
  numbers.push(number);
}

async function liftLiteral(
  tools: MatchTools,
  query: SearchQuery,
  matches: Matches,
  words: number,
): Promise<void> {
  const { rank } = matches;
  const candidates = notesThatMayHold(tools.index, query.indexed.literal);
  const possible = candidates ? [...candidates.certain, ...candidates.possible] : [...tools.index.numbers()];
  const hasAllWords = (number: number) => words > 1 && rank[number]! >= ALL_WORDS_BONUS;
  const likely = bestNumbers(possible.filter(hasAllWords), rank, CHECKED_WITH_ALL_WORDS);
  const others = possible.filter((number) => !hasAllWords(number)).slice(0, CHECKED_WITHOUT);
  const asked = [...likely, ...others].filter((number) => tools.accepts?.(number) !== false);
  for await (const batch of tools.inBatches(asked))
    for (const number of batch) {
      if (!(await tools.holdsLiteral(number))) continue;
      rank[number]! += LITERAL_BONUS;
      add(tools, matches, number);
    }
}
