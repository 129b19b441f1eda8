/**
 * Which indexed notes match a query, and how well. Notes that hold the query as it stands come first, then those
 * with all of its words, then those with some; a word that merely stands inside another comes last.
 */
import { notesThatMayHold } from './candidates.ts';
import type { NoteIndex } from './note-index.ts';
import type { SearchQuery } from './query.ts';
import { inflectionsOf, scoreWords, type WordGroup } from './rank.ts';
import { similarWords } from './similar-words.ts';

export interface Matches {
  /** Note numbers, in no order. */
  readonly numbers: number[];
  /** By note number; higher is better. */
  readonly rank: Float32Array;
}

export interface MatchTools {
  readonly index: NoteIndex;
  readonly accepts: (number: number) => boolean;
  /** Whether the note's text holds the query as it stands. */
  readonly holdsLiteral: (number: number) => Promise<boolean>;
}

export const LITERAL_BONUS = 1_000;
export const ALL_WORDS_BONUS = 500;
const LITTLE = 3;
/** Of notes with all the words, how many of the best are read to see whether the words stand together. */
const CHECKED_WITH_ALL_WORDS = 40;
/** Of notes that may hold the query across its words' edges. */
const CHECKED_WITHOUT = 2_000;

export async function matchNotes(tools: MatchTools, query: SearchQuery, wanted: number): Promise<Matches> {
  const { words } = query.indexed;
  const groups = words.map((word) => inflectionsOf(tools.index, word));
  const matches = await matchWords(tools, query, groups, wanted);
  if (matches.numbers.length >= LITTLE || groups.every((group) => group.length > 0)) return matches;
  const wider = groups.map((group, at) =>
    group.length > 0 ? group : similarWords(tools.index, words[at] ?? ''),
  );
  return withLesser(matches, matchSome(tools, wider));
}

async function matchWords(
  tools: MatchTools,
  query: SearchQuery,
  groups: readonly WordGroup[],
  wanted: number,
): Promise<Matches> {
  const matches = matchSome(tools, groups);
  if (groups.length === 1 && query.indexed.literal === query.indexed.words[0]) {
    // Words it stands inside only matter when those it stands for do not fill the page.
    if (matches.numbers.length < wanted) await addInside(tools, query, matches);
    return matches;
  }
  await liftLiteral(tools, query, matches, groups.length);
  return matches;
}

function matchSome({ index, accepts }: MatchTools, groups: readonly WordGroup[]): Matches {
  const { score, matched, touched } = scoreWords(index, groups);
  const numbers = touched.filter(accepts);
  if (groups.length > 1)
    for (const number of numbers) if (matched[number] === groups.length) score[number]! += ALL_WORDS_BONUS;
  return { numbers, rank: score };
}

async function addInside(tools: MatchTools, query: SearchQuery, matches: Matches): Promise<void> {
  const known = new Set(matches.numbers);
  const { certain = [], possible = [] } = notesThatMayHold(tools.index, query.indexed.literal) ?? {};
  const isNew = (number: number) => !known.has(number) && tools.accepts(number);
  for (const number of certain) if (isNew(number)) matches.numbers.push(number);
  for (const number of possible)
    if (isNew(number) && (await tools.holdsLiteral(number))) matches.numbers.push(number);
}

async function liftLiteral(
  tools: MatchTools,
  query: SearchQuery,
  matches: Matches,
  words: number,
): Promise<void> {
  const { rank, numbers } = matches;
  const known = new Set(numbers);
  const candidates = notesThatMayHold(tools.index, query.indexed.literal);
  const possible = candidates ? [...candidates.certain, ...candidates.possible] : [...tools.index.numbers()];
  const hasAllWords = (number: number) => words > 1 && rank[number]! >= ALL_WORDS_BONUS;
  const likely = possible.filter(hasAllWords).sort((a, b) => rank[b]! - rank[a]!);
  const others = possible.filter((number) => !hasAllWords(number));
  for (const number of [...likely.slice(0, CHECKED_WITH_ALL_WORDS), ...others.slice(0, CHECKED_WITHOUT)]) {
    if (!tools.accepts(number) || !(await tools.holdsLiteral(number))) continue;
    rank[number]! += LITERAL_BONUS;
    if (!known.has(number)) numbers.push(number);
  }
}

/** The second only below everything of the first. */
function withLesser(first: Matches, second: Matches): Matches {
  const known = new Set(first.numbers);
  const rank = second.rank.map((value) => value - 2 * LITERAL_BONUS);
  for (const number of first.numbers) rank[number] = first.rank[number]!;
  return { numbers: [...first.numbers, ...second.numbers.filter((number) => !known.has(number))], rank };
}
