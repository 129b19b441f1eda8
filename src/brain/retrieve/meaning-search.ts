/** Search by the meaning that each notebook has learned from its own notes: the nearest notes, then their nearest passages. */
import { questionOf } from '../../notes/text/analyzer.ts';
import type { RankedPassage } from '../types.ts';
import {
  type Candidate,
  coverageOf,
  type KeywordSearch,
  NOTE_SHARE,
  priorOf,
  readAll,
  searchedNotes,
} from './keyword-search.ts';
import { askAll, type MountedNotebook } from './library.ts';

/** Whether any of the notebooks knows what words of the query mean. */
export async function isMeaningKnown(query: string, parts: readonly MountedNotebook[]): Promise<boolean> {
  const known = parts.map(async ({ source: { notebook } }) => notebook.searcher.nearness(query, []));
  return (await Promise.all(known)).some((each) => each !== undefined);
}

/** Best first; passages without any word of the query too. */
export async function findByMeaning(
  query: string,
  limit: number,
  { parts, reader, options }: KeywordSearch,
): Promise<{ readonly passages: readonly RankedPassage[]; readonly total: number }> {
  const { onWarning: _, ...silent } = options;
  const answers = await askAll(
    parts,
    ({ source: { notebook }, filter }) =>
      notebook.searcher.search(
        { query, filter, mode: 'meaning', limit: searchedNotes(limit), withExcerpts: false },
        silent,
      ),
    options,
  );
  const found = await Promise.all(
    answers.map(async ({ part, answer }) => {
      const hits = answer.hits.map((hit, rank) => ({ part, hit, rank }));
      return nearestPassages(query, await readAll(hits, reader, options), part);
    }),
  );
  return {
    passages: found.flat().sort((a, b) => b.score - a.score),
    total: answers.reduce((sum, { answer }) => sum + answer.total, 0),
  };
}

async function nearestPassages(
  query: string,
  candidates: readonly Candidate[],
  { source: { notebook } }: MountedNotebook,
): Promise<RankedPassage[]> {
  const question = questionOf(query);
  const all = await Promise.all(
    candidates.map(async ({ note, rank }) =>
      (await note.passages()).map((passage) => ({ passage, prior: priorOf(rank) })),
    ),
  );
  const passages = all.flat();
  const texts = passages.map(({ passage: { title, headings, text } }) =>
    [title, ...headings, text].join('\n'),
  );
  const cosines = (await notebook.searcher.nearness(query, texts)) ?? [];
  return passages.flatMap(({ passage, prior }, at) => {
    const cosine = Math.max(0, cosines[at] ?? 0);
    if (cosine === 0) return [];
    const score = (1 - NOTE_SHARE) * cosine + NOTE_SHARE * prior;
    return [{ passage, score, coverage: coverageOf(passage, question) }];
  });
}
