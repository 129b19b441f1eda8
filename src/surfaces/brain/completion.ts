/** What `query` and `limit` may go on to while somebody types them. */
import type { Completion, CompletionRequest } from '../../mcp/completion.ts';
import { fold } from '../../notes/fold.ts';

import type { BrainBackend } from './backend.ts';

const LIMITS = ['5', '10', '20', '50'];
const MOST = 100;

/** Undefined for an argument that is neither. */
export async function completeSearch(
  backend: BrainBackend,
  { argument, value, known, signal }: CompletionRequest,
): Promise<Completion | undefined> {
  if (argument === 'query') return completeQuery(backend, value);
  if (argument !== 'limit') return undefined;
  const fitting = LIMITS.filter((limit) => limit.startsWith(value));
  const query = known.query?.trim() ?? '';
  if (query === '') return { values: fitting, total: fitting.length };
  const { total } = await backend.recall(
    { query, limit: 1, shown: [], mode: 'keyword', scope: {} },
    { signal },
  );
  const needed = fitting.filter((_, at) => at === 0 || Number(fitting[at - 1]) < total);
  return { values: needed, total: needed.length };
}

/** Titles before tags; of each, those that begin so before those that hold it. */
async function completeQuery(backend: BrainBackend, value: string): Promise<Completion> {
  const wanted = foldedWord(value);
  const { titles, tags } = await backend.words();
  const found = [...new Set([...matching(titles, wanted), ...matching(tags, wanted)])];
  return { values: found.slice(0, MOST), total: found.length, hasMore: found.length > MOST };
}

function matching(words: readonly string[], wanted: string): string[] {
  const folded = [...new Set(words)].map((word) => ({ word, key: foldedWord(word) }));
  const holding = folded.filter(({ key }) => key.includes(wanted)).sort((a, b) => (a.key < b.key ? -1 : 1));
  const begins = ({ key }: { key: string }) => key.startsWith(wanted);
  return [...holding.filter(begins), ...holding.filter((one) => !begins(one))].map(({ word }) => word);
}

function foldedWord(word: string): string {
  return fold(word, { ignoreCase: true, ignoreAccents: true }).text;
}
