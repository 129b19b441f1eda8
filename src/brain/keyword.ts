/** Passages by words: each notebook's index finds the notes, their passages are ranked together. */
import type { SearchHit, WordUse } from '../notes/searcher.ts';
import { type Question, questionOf } from '../notes/words/question.ts';
import { pooled } from '../shared/pooled.ts';
import { askAll, type Part } from './mounts.ts';
import type { NoteReader } from './note-reader.ts';
import { type Candidate, type Rarities, rankPassages } from './rank-passages.ts';
import type { Inquiry, RankedPassage } from './types.ts';

export interface WordFindings {
  readonly passages: readonly RankedPassage[];
  /** Notes that match, of all notebooks. */
  readonly total: number;
  readonly question: Question;
  readonly rarities: Rarities;
}

/** More notes than passages are wanted: the best passage may stand in a note that is not the best. */
const NOTES_PER_PASSAGE = 2;
const FEWEST_NOTES = 24;
const MOST_NOTES = 60;
const READS_AT_ONCE = 8;

export async function findByWords(
  query: string,
  limit: number,
  { parts, reader, inquiry }: { parts: readonly Part[]; reader: NoteReader; inquiry: Inquiry },
): Promise<WordFindings> {
  const question = questionOf(query);
  const notes = Math.min(MOST_NOTES, Math.max(FEWEST_NOTES, limit * NOTES_PER_PASSAGE));
  const answers = await askAll(
    parts,
    async ({ source: { notebook }, filter }) => ({
      found: await notebook.searcher.search(
        { query: searchedFor(query, question), filter, limit: notes },
        inquiry,
      ),
      use: await notebook.searcher.wordUse(question.words, inquiry),
    }),
    inquiry,
  );
  const hits = answers.flatMap(({ part, answer }) =>
    answer.found.hits.map((hit, rank) => ({ part, hit, rank })),
  );
  const rarities = raritiesOf(
    question,
    answers.map(({ answer }) => answer.use),
  );
  const read = await pooled(hits, READS_AT_ONCE, (hit) => candidateOf(reader, hit), inquiry.signal);
  const ranked = rankPassages(
    read.filter((candidate) => candidate !== undefined),
    question,
    rarities,
  );
  return {
    passages: ranked.filter(({ score }) => score > 0),
    total: answers.reduce((sum, { answer }) => sum + answer.found.total, 0),
    question,
    rarities,
  };
}

/** Without the words that only hold a sentence together; quoted phrases stay as they are. */
function searchedFor(query: string, { words }: Question): string {
  const phrases = query.match(/["“”„][^"“”„]+["“”]/g) ?? [];
  return [...words, ...phrases].join(' ');
}

async function candidateOf(
  reader: NoteReader,
  { part, hit, rank }: { part: Part; hit: SearchHit; rank: number },
): Promise<Candidate | undefined> {
  const cut = await reader.read(part.source, hit.path, hit.lastModified);
  return cut && { ...cut, rank };
}

/** As if all notebooks were one. */
function raritiesOf({ words }: Question, uses: readonly WordUse[]): Rarities {
  const notes = uses.reduce((sum, use) => sum + use.notes, 0);
  return words.map((_, at) => {
    const holders = uses.reduce((sum, use) => sum + (use.holders[at] ?? 0), 0);
    return Math.log(1 + (Math.max(0, notes - holders) + 0.5) / (holders + 0.5));
  });
}
