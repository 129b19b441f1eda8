/** The best passages with all that is shown of each. */

import { citationOf } from '../../brain/citation.ts';
import { rounded } from '../../brain/cite.ts';
import type { RankedPassage, Retriever } from '../../brain/types.ts';
import type { Asking } from '../../notes/searcher.ts';
import { type Question, questionOf } from '../../notes/words/question.ts';
import type { RecallAnswer, Recalled, RecallRequest } from './backend.ts';
import { MOST_SHOWN, shownKey } from './recall-cursor.ts';

const LONGEST_SNIPPET = 200;

export async function recall(
  retriever: Retriever,
  { query, limit, shown, mode, scope }: RecallRequest,
  { now, asking }: { readonly now: number; readonly asking: Asking },
): Promise<RecallAnswer> {
  // One more than is shown tells whether there are more; after the first page, all that may be shown are looked at.
  const wanted = shown.length === 0 ? limit + 1 : MOST_SHOWN + limit;
  const found = await retriever.retrieve({ query, limit: wanted, mode, scope }, asking);
  const { total, modeUsed, warnings } = found;
  const before = new Set(shown);
  const passages = found.passages.filter(({ passage }) => !before.has(shownKey(passage.hash)));
  const question = questionOf(query);
  const retrievedAt = new Date(now).toISOString();
  return {
    results: passages.slice(0, limit).map((ranked) => recalled(ranked, question, retrievedAt)),
    total,
    hasMore: passages.length > limit,
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
