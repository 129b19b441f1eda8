/** Keyword search: each notebook's index finds notes, then the passages of all of them are ranked together. */
import type { Range } from '../../notes/markdown/regions.ts';
import type { DocumentFrequencies, SearchHit, SearchOptions } from '../../notes/searcher.ts';
import { lemmaOf, type Question, questionOf } from '../../notes/text/analyzer.ts';
import { idf, MAX_SATURATION, saturation } from '../../notes/text/bm25.ts';
import { createStemFinder, type StemFinder, termOf } from '../../notes/text/stems.ts';
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { type AppError, isAppError } from '../../shared/errors.ts';
import type { Passage, RankedPassage } from '../types.ts';
import { askAll, type MountedNotebook } from './library.ts';
import type { NotePassages, NoteReader } from './passages.ts';

/** The words of a path without its extension. A note's title is often in its path alone. */
export function pathWords(path: string): string {
  return path.replace(/\.\p{L}+$/u, '').replace(/[^\p{L}\p{N}]+/gu, ' ');
}

export interface Candidate {
  readonly note: NotePassages;
  readonly title: string;
  /** Rank in the search of its notebook, from 0. */
  readonly rank: number;
}

interface PassageScore {
  readonly note: NotePassages;
  /** Index among the note's passages. */
  readonly at: number;
  /** 0 to 1; 1 for the best possible passage. */
  readonly score: number;
  readonly coverage: number;
}

const TITLE_WEIGHT = 1;
const HEADING_WEIGHT = 1;
/** Weight of the note's rank in a passage's score. */
export const NOTE_SHARE = 0.5;
/** The rank at which a note's prior is half of the first one's. */
const HALF_AT = 20;
const USUAL_LENGTH = 800;

/**
 * BM25 over stems; only passages with a word of the question, best first. Words of headings, title and path count for
 * every passage under them, and the note's rank in its index is a prior. `idfs` are in the order of the question's words.
 * Where no passage has any of the words, those that begin as they do count, as they do in the index.
 */
function rankPassages(
  candidates: readonly Candidate[],
  question: Question,
  idfs: readonly number[],
): PassageScore[] {
  const rankedBy = (keyOf: (word: string) => string) =>
    candidates
      .flatMap(createScorer(question, idfs, keyOf))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || comparePlace(a, b));
  const ranked = rankedBy(lemmaOf);
  return ranked.length > 0 ? ranked : rankedBy(termOf);
}

/** The share of the question's words in a passage, its headings, title and path. */
export function coverageOf({ sourcePath, title, headings, text }: Passage, { words }: Question): number {
  const all = [pathWords(sourcePath), title, ...headings, text].join('\n');
  const counts = countsIn(all, createStemFinder(words), words.length);
  return shareOf(counts);
}

function shareOf(counts: Float32Array): number {
  return counts.reduce((sum, count) => sum + Number(count > 0), 0) / Math.max(1, counts.length);
}

function createScorer(
  { words }: Question,
  idfs: readonly number[],
  keyOf: (word: string) => string,
): (candidate: Candidate) => PassageScore[] {
  const find = createStemFinder(words, keyOf);
  const most = idfs.reduce((sum, each) => sum + each * MAX_SATURATION, 0);
  const scoreOf = (counts: Float32Array, { start, end }: Range) => {
    const relative = (end - start) / USUAL_LENGTH;
    let score = 0;
    for (const [at, weight] of counts.entries())
      if (weight > 0) score += idfs[at]! * saturation(weight, relative);
    return most === 0 ? 0 : Math.min(1, score / most);
  };
  return ({ note, title, rank }) => {
    const inTitle = countsIn(title, find, words.length);
    const inPath = countsIn(pathWords(note.sourcePath), find, words.length);
    const prior = priorOf(rank);
    return countsByPassage(note, find, words.length).map((counts, at) => {
      const range = note.ranges[at]!;
      const inHeadings = countsIn(range.headings.join('\n'), find, words.length);
      for (let word = 0; word < counts.length; word++)
        counts[word]! +=
          HEADING_WEIGHT * inHeadings[word]! + TITLE_WEIGHT * Math.max(inTitle[word]!, inPath[word]!);
      const score = scoreOf(counts, range);
      return {
        note,
        at,
        score: score === 0 ? 0 : (1 - NOTE_SHARE) * score + NOTE_SHARE * prior,
        coverage: shareOf(counts),
      };
    });
  };
}

/** From 1, for a note that is the first of its notebook. */
export function priorOf(rank: number): number {
  return 1 / (1 + rank / HALF_AT);
}

function countsIn(text: string, find: StemFinder, words: number): Float32Array {
  const counts = new Float32Array(words);
  find(text, (word) => {
    counts[word]!++;
  });
  return counts;
}

/** One scan over the whole note, which is faster than one per passage. */
function countsByPassage({ text, ranges }: NotePassages, find: StemFinder, words: number): Float32Array[] {
  const counts = ranges.map(() => new Float32Array(words));
  const found: number[] = [];
  const { originalOffset } = find(text, (word, start) => found.push(word, start));
  let at = 0;
  for (let index = 0; index < found.length; index += 2) {
    const offset = originalOffset(found[index + 1]!);
    while (at < ranges.length && ranges[at]!.end <= offset) at++;
    if (at < ranges.length && ranges[at]!.start <= offset) counts[at]![found[index]!]!++;
  }
  return counts;
}

function comparePlace(a: PassageScore, b: PassageScore): number {
  if (a.note.sourcePath !== b.note.sourcePath) return a.note.sourcePath < b.note.sourcePath ? -1 : 1;
  return a.at - b.at;
}

export async function rankedPassage({ note, at, score, coverage }: PassageScore): Promise<RankedPassage> {
  return { passage: (await note.passages())[at]!, score, coverage };
}

export interface KeywordHits {
  /** Best first. */
  readonly passages: readonly PassageScore[];
  /** Number of matching notes of all notebooks. */
  readonly total: number;
  /** IDF of the question's words, by stem. */
  readonly rarities?: ReadonlyMap<string, number>;
}

export interface KeywordSearch {
  readonly parts: readonly MountedNotebook[];
  readonly reader: NoteReader;
  readonly options: SearchOptions;
  readonly withFrontmatter?: boolean;
}

/** More notes than passages, because the best passage may be in a note that is not the best. */
const NOTES_PER_PASSAGE = 1.2;
const FEWEST_NOTES = 12;
const MOST_NOTES = 60;
const READS_AT_ONCE = 16;

/** How many notes of a notebook are read for so many passages. */
export function searchedNotes(limit: number): number {
  return Math.min(MOST_NOTES, Math.max(FEWEST_NOTES, Math.ceil(limit * NOTES_PER_PASSAGE)));
}

/** `mode`: whether the notes' own meaning counts for the order of the notes. */
export async function findByWords(
  query: string,
  limit: number,
  { parts, reader, options, withFrontmatter = false }: KeywordSearch,
  mode: 'words' | 'auto' = 'auto',
): Promise<KeywordHits> {
  const question = questionOf(query);
  const searched = searchedFor(query, question);
  if (searched.trim() === '') return { passages: [], total: 0 };
  const answers = await askAll(
    parts,
    async ({ source: { notebook }, filter }) => ({
      found: await notebook.searcher.search(
        { query: searched, filter, mode, limit: searchedNotes(limit), withExcerpts: false },
        options,
      ),
      use: await notebook.searcher.wordUse(question.words, options),
    }),
    options,
  );
  const hits = answers.flatMap(({ part, answer }) =>
    answer.found.hits.map((hit, rank) => ({ part, hit, rank })),
  );
  const read = await readAll(hits, reader, options);
  const uses = answers.map(({ answer }) => answer.use);
  const idfs = idfsOf(question, uses);
  return {
    passages: rankPassages(read, question, idfs).filter(
      ({ note: { ranges }, at }) => withFrontmatter || ranges.length === 1 || !ranges[at]?.isFrontmatter,
    ),
    total: answers.reduce((sum, { answer }) => sum + answer.found.total, 0),
    rarities: new Map(question.words.map((word, at) => [lemmaOf(word), idfs[at]!])),
  };
}

/** The query without stop words; quoted phrases are kept. */
function searchedFor(query: string, { words }: Question): string {
  const phrases = query.match(/["“”„][^"“”„]+["“”]/g) ?? [];
  return words.length === 0 ? query : [...words, ...phrases].join(' ');
}

interface NoteHit {
  readonly part: MountedNotebook;
  readonly hit: SearchHit;
  readonly rank: number;
}

/** Warns about notes that could not be read, and throws when none could. */
export async function readAll(
  hits: readonly NoteHit[],
  reader: NoteReader,
  options: SearchOptions,
): Promise<Candidate[]> {
  const failures: AppError[] = [];
  const candidateOf = async ({ part, hit, rank }: NoteHit): Promise<Candidate[]> => {
    try {
      const note = await reader.read(part.source, hit.path, hit.lastModified);
      return note ? [{ note, title: hit.title, rank }] : [];
    } catch (error) {
      if (!isAppError(error)) throw error;
      failures.push(error);
      return [];
    }
  };
  const read = (await mapConcurrently(hits, READS_AT_ONCE, candidateOf, options.signal)).flat();
  const [failure] = failures;
  if (!failure) return read;
  if (read.length === 0) throw failure;
  const notes = failures.length === 1 ? '1 note that fits' : `${failures.length} notes that fit`;
  options.onWarning?.(`${notes} could not be read: ${failure.title}. The answer is made without them.`);
  return read;
}

/** IDF over all notebooks together. */
function idfsOf({ words }: Question, uses: readonly DocumentFrequencies[]): number[] {
  const notes = uses.reduce((sum, use) => sum + use.notes, 0);
  return words.map((_, at) => {
    const holders = uses.reduce((sum, use) => sum + (use.holders[at] ?? 0), 0);
    return idf(holders, notes);
  });
}
