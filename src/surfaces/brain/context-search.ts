/** The search behind the prompt and the template: what `search_local_context` finds. */
import type { Asking } from '../../notes/searcher.ts';
import type { ContextSearch } from './addresses.ts';
import type { BrainBackend } from './backend.ts';
import { shownOf } from './sb-recall.ts';

export interface ContextResult {
  readonly rank: number;
  readonly title: string;
  readonly text: string;
  readonly citation: {
    readonly source_path: string;
    readonly anchor: string;
    readonly line_start: number;
    readonly line_end: number;
  };
}

export async function searchContext(
  backend: BrainBackend,
  { query, limit }: ContextSearch,
  asking: Asking,
): Promise<Record<string, unknown> & { readonly results: readonly ContextResult[] }> {
  const search = { query, mode: 'hybrid', scope: {} } as const;
  const found = await backend.recall({ ...search, limit, shown: [] }, asking);
  const shown = shownOf(found, { search, shown: [], withText: true });
  return { query, ...shown, results: shown.results as ContextResult[] };
}
