/** Pieces of notes by words: each notebook's index finds the notes, their pieces are ranked together. */
import type { Range } from '../../notes/markdown/regions.ts';
import type { DocumentFrequencies, SearchHit } from '../../notes/searcher.ts';
import { type Question, questionOf } from '../../notes/text/analyzer.ts';
import { idf, MAX_SATURATION, saturation } from '../../notes/text/bm25.ts';
import { createStemFinder, type StemFinder } from '../../notes/text/stems.ts';
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { type AppError, isAppError } from '../../shared/errors.ts';
import type { Inquiry, Passage } from '../types.ts';
import { askAll, type MountedNotebook } from './library.ts';
import type { ChunkedNote, NoteReader } from './passages.ts';

/** The words of a path: of its folders, and of the file without its kind. Titles are often written there and nowhere else. */
export function pathWords(path: string): string {
  return path.replace(/\.\p{L}+$/u, '').replace(/[^\p{L}\p{N}]+/gu, ' ');
}

/**
 * Pieces of notes by how well they answer a question: BM25 over stems, as for the notes themselves. Words of the
 * headings, the title and the path count for every piece under them. How the index ranked the note counts a little, too.
 */

interface Candidate {
  readonly cut: ChunkedNote;
  readonly title: string;
  /** Where its notebook's search has it, from 0. */
  readonly rank: number;
}

interface RankedPiece {
  readonly cut: ChunkedNote;
  /** Its place among the note's pieces. */
  readonly at: number;
  /** 1 for a piece that could not be better. */
  readonly score: number;
  readonly coverage: number;
}

const TITLE_WEIGHT = 1;
const HEADING_WEIGHT = 1;
/** How much of a score is the note's own. */
const NOTE_SHARE = 0.5;
/** The note at this place gets half of what the first gets. */
const HALF_AT = 20;
const USUAL_LENGTH = 800;

/** In the order of the question's words: how much each counts. */
type DocumentFrequencyTable = readonly number[];

/** Best first, and only those that hold a word of the question. */
function rankPieces(
  candidates: readonly Candidate[],
  question: Question,
  rarities: DocumentFrequencyTable,
): RankedPiece[] {
  const weigh = createWeighing(question, rarities);
  return candidates
    .flatMap(weigh)
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || compareText(a, b));
}

/** The share of the question's words that stand in a passage or over it. */
export function coverageOf({ sourcePath, title, headings, text }: Passage, { words }: Question): number {
  const all = [pathWords(sourcePath), title, ...headings, text].join('\n');
  const counts = countsIn(all, createStemFinder(words), words.length);
  return shareOf(counts);
}

function shareOf(counts: Float32Array): number {
  return counts.reduce((sum, count) => sum + Number(count > 0), 0) / Math.max(1, counts.length);
}

function createWeighing(
  { words }: Question,
  rarities: DocumentFrequencyTable,
): (candidate: Candidate) => RankedPiece[] {
  const find = createStemFinder(words);
  const most = rarities.reduce((sum, rarity) => sum + rarity * MAX_SATURATION, 0);
  const scoreOf = (counts: Float32Array, { start, end }: Range) => {
    const relative = (end - start) / USUAL_LENGTH;
    let score = 0;
    for (const [at, weight] of counts.entries())
      if (weight > 0) score += rarities[at]! * saturation(weight, relative);
    return most === 0 ? 0 : Math.min(1, score / most);
  };
  return ({ cut, title, rank }) => {
    const inTitle = countsIn(title, find, words.length);
    const inPath = countsIn(pathWords(cut.sourcePath), find, words.length);
    const prior = 1 / (1 + rank / HALF_AT);
    return countsByPiece(cut, find, words.length).map((counts, at) => {
      const piece = cut.pieces[at]!;
      const inHeadings = countsIn(piece.headings.join('\n'), find, words.length);
      for (let word = 0; word < counts.length; word++)
        counts[word]! +=
          HEADING_WEIGHT * inHeadings[word]! + TITLE_WEIGHT * Math.max(inTitle[word]!, inPath[word]!);
      const score = scoreOf(counts, piece);
      return {
        cut,
        at,
        score: score === 0 ? 0 : (1 - NOTE_SHARE) * score + NOTE_SHARE * prior,
        coverage: shareOf(counts),
      };
    });
  };
}

function countsIn(text: string, find: StemFinder, words: number): Float32Array {
  const counts = new Float32Array(words);
  find(text, (word) => {
    counts[word]!++;
  });
  return counts;
}

/** The whole note is looked through once: that is quicker than piece by piece. */
function countsByPiece({ text, pieces }: ChunkedNote, find: StemFinder, words: number): Float32Array[] {
  const counts = pieces.map(() => new Float32Array(words));
  const found: number[] = [];
  const { originalOffset } = find(text, (word, start) => found.push(word, start));
  let at = 0;
  for (let index = 0; index < found.length; index += 2) {
    const offset = originalOffset(found[index + 1]!);
    while (at < pieces.length && pieces[at]!.end <= offset) at++;
    if (at < pieces.length && pieces[at]!.start <= offset) counts[at]![found[index]!]!++;
  }
  return counts;
}

function compareText(a: RankedPiece, b: RankedPiece): number {
  if (a.cut.sourcePath !== b.cut.sourcePath) return a.cut.sourcePath < b.cut.sourcePath ? -1 : 1;
  return a.at - b.at;
}

export interface KeywordHits {
  /** Best first. */
  readonly pieces: readonly RankedPiece[];
  /** Notes that match, of all notebooks. */
  readonly total: number;
}

export interface KeywordSearch {
  readonly parts: readonly MountedNotebook[];
  readonly reader: NoteReader;
  readonly inquiry: Inquiry;
}

/** More notes than passages are wanted: the best passage may stand in a note that is not the best. */
const NOTES_PER_PASSAGE = 1.2;
const FEWEST_NOTES = 12;
const MOST_NOTES = 60;
const READS_AT_ONCE = 16;

export async function findByWords(
  query: string,
  limit: number,
  { parts, reader, inquiry }: KeywordSearch,
): Promise<KeywordHits> {
  const question = questionOf(query);
  const most = Math.min(MOST_NOTES, Math.max(FEWEST_NOTES, Math.ceil(limit * NOTES_PER_PASSAGE)));
  const searched = searchedFor(query, question);
  if (searched.trim() === '') return { pieces: [], total: 0 };
  const answers = await askAll(
    parts,
    async ({ source: { notebook }, filter }) => ({
      found: await notebook.searcher.search(
        { query: searched, filter, limit: most, withExcerpts: false },
        inquiry,
      ),
      use: await notebook.searcher.wordUse(question.words, inquiry),
    }),
    inquiry,
  );
  const hits = answers.flatMap(({ part, answer }) =>
    answer.found.hits.map((hit, rank) => ({ part, hit, rank })),
  );
  const read = await readAll(hits, reader, inquiry);
  const uses = answers.map(({ answer }) => answer.use);
  return {
    pieces: rankPieces(read, question, raritiesOf(question, uses)),
    total: answers.reduce((sum, { answer }) => sum + answer.found.total, 0),
  };
}

/** Without the words that only hold a sentence together; quoted phrases stay as they are. */
function searchedFor(query: string, { words }: Question): string {
  const phrases = query.match(/["“”„][^"“”„]+["“”]/g) ?? [];
  return words.length === 0 ? query : [...words, ...phrases].join(' ');
}

interface NoteHit {
  readonly part: MountedNotebook;
  readonly hit: SearchHit;
  readonly rank: number;
}

/** Says how many could not be read. That none could is an error: nobody knows what they say. */
async function readAll(hits: readonly NoteHit[], reader: NoteReader, inquiry: Inquiry): Promise<Candidate[]> {
  const failures: AppError[] = [];
  const candidateOf = async ({ part, hit, rank }: NoteHit): Promise<Candidate[]> => {
    try {
      const cut = await reader.read(part.source, hit.path, hit.lastModified);
      return cut ? [{ cut, title: hit.title, rank }] : [];
    } catch (error) {
      if (!isAppError(error)) throw error;
      failures.push(error);
      return [];
    }
  };
  const read = (await mapConcurrently(hits, READS_AT_ONCE, candidateOf, inquiry.signal)).flat();
  const [failure] = failures;
  if (!failure) return read;
  if (read.length === 0) throw failure;
  const notes = failures.length === 1 ? '1 note that fits' : `${failures.length} notes that fit`;
  inquiry.onWarning?.(`${notes} could not be read: ${failure.title}. The answer is made without them.`);
  return read;
}

/** As if all notebooks were one. */
function raritiesOf({ words }: Question, uses: readonly DocumentFrequencies[]): DocumentFrequencyTable {
  const notes = uses.reduce((sum, use) => sum + use.notes, 0);
  return words.map((_, at) => {
    const holders = uses.reduce((sum, use) => sum + (use.holders[at] ?? 0), 0);
    return idf(holders, notes);
  });
}
