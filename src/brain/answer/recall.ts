/** `sb_recall`: the best passages for a query, page by page. */
import type { SearchOptions } from '../../notes/searcher.ts';
import { questionOf } from '../../notes/text/analyzer.ts';
import type { RetrievalRequest, Retriever } from '../types.ts';
import { citationOf, rounded } from './citations.ts';

export interface RecallRequest extends RetrievalRequest {
  /** Hash prefixes of the passages shown on earlier pages. */
  readonly shown: readonly string[];
}

/** Paging ends here; a better query finds more than a further page. */
export const MOST_SHOWN = 200;

export async function recall(
  retriever: Retriever,
  { shown, ...request }: RecallRequest,
  { retrievedAt, options }: { readonly retrievedAt: string; readonly options: SearchOptions },
) {
  const { query, limit } = request;
  // One result more than the page tells whether a next page exists; later pages need all candidates.
  const wanted = shown.length === 0 ? limit + 1 : MOST_SHOWN + limit;
  const found = await retriever.retrieve({ ...request, limit: wanted }, options);
  const { total, modeUsed, warnings } = found;
  const passages = found.passages.filter(
    ({ passage }) => !shown.some((prefix) => passage.hash.startsWith(prefix)),
  );
  const question = questionOf(query);
  const results = passages.slice(0, limit).map(({ passage, score }) => {
    const { title, tags, lastModified, text } = passage;
    const citation = citationOf(passage, question, { index: 0, score: rounded(score), retrievedAt });
    const updatedAt = new Date(lastModified).toISOString();
    return { title, tags, updatedAt, text, citation };
  });
  /** `total` is the number of matching notes, shown or not. */
  return { results, total, hasMore: passages.length > limit, modeUsed, warnings };
}
