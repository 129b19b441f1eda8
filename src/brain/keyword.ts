/** Pieces of notes by words: each notebook's index finds the notes, their pieces are ranked together. */
import type { SearchHit, WordUse } from '../notes/searcher.ts';
import { type Question, questionOf } from '../notes/words/question.ts';
import { type AppError, isAppError } from '../shared/errors.ts';
import { pooled } from '../shared/pooled.ts';
import { askAll, type Part } from './mounts.ts';
import type { NoteReader } from './note-reader.ts';
import { type Candidate, type RankedPiece, type Rarities, rankPieces } from './rank-pieces.ts';
import type { Inquiry } from './types.ts';

export interface WordFindings {
  /** Best first. */
  readonly pieces: readonly RankedPiece[];
  /** Notes that match, of all notebooks. */
  readonly total: number;
}

export interface Looking {
  readonly parts: readonly Part[];
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
  { parts, reader, inquiry }: Looking,
): Promise<WordFindings> {
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
  readonly part: Part;
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
  const read = (await pooled(hits, READS_AT_ONCE, candidateOf, inquiry.signal)).flat();
  const [failure] = failures;
  if (!failure) return read;
  if (read.length === 0) throw failure;
  const notes = failures.length === 1 ? '1 note that fits' : `${failures.length} notes that fit`;
  inquiry.onWarning?.(`${notes} could not be read: ${failure.title}. The answer is made without them.`);
  return read;
}

/** As if all notebooks were one. */
function raritiesOf({ words }: Question, uses: readonly WordUse[]): Rarities {
  const notes = uses.reduce((sum, use) => sum + use.notes, 0);
  return words.map((_, at) => {
    const holders = uses.reduce((sum, use) => sum + (use.holders[at] ?? 0), 0);
    return Math.log(1 + (Math.max(0, notes - holders) + 0.5) / (holders + 0.5));
  });
}
