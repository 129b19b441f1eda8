/** The best passages with all that is shown of each. */

import { citationOf } from '../../brain/citation.ts';
import { rounded } from '../../brain/cite.ts';
import type { RankedPassage, Retriever } from '../../brain/types.ts';
import type { Asking } from '../../notes/searcher.ts';
import { type Question, questionOf } from '../../notes/words/question.ts';
import type { RecallAnswer, Recalled, RecallRequest } from './backend.ts';

const LONGEST_SNIPPET = 200;

export async function recall(
  retriever: Retriever,
  { query, limit, offset, mode, scope }: RecallRequest,
  { now, asking }: { readonly now: number; readonly asking: Asking },
): Promise<RecallAnswer> {
  const last = offset + limit;
  // One more than is shown tells whether there are more.
  const found = await retriever.retrieve({ query, limit: last + 1, mode, scope }, asking);
  const { passages, total, modeUsed, warnings } = found;
  const question = questionOf(query);
  const retrievedAt = new Date(now).toISOString();
  return {
    results: passages.slice(offset, last).map((ranked) => recalled(ranked, question, retrievedAt)),
    total,
    hasMore: passages.length > last,
    modeUsed,
    warnings,
  };
}

function recalled({ passage, score }: RankedPassage, question: Question, retrievedAt: string): Recalled {
  const { title, tags, lastModified, text } = passage;
  const citation = citationOf(passage, question, { index: 0, score: rounded(score), retrievedAt });
  return {
    title,
    tags,
    updatedAt: new Date(lastModified).toISOString(),
    snippet: snippetOf(citation.textSpan),
    text,
    citation,
  };
}

/** One line, ending with a whole word. */
function snippetOf(span: string): string {
  const flat = span.replace(/\s+/g, ' ').trim();
  if (flat.length <= LONGEST_SNIPPET) return flat;
  const cut = flat.slice(0, LONGEST_SNIPPET);
  const space = cut.lastIndexOf(' ');
  const whole = space > LONGEST_SNIPPET / 2 ? cut.slice(0, space) : cut;
  return `${whole.isWellFormed() ? whole : whole.slice(0, -1)}…`;
}
