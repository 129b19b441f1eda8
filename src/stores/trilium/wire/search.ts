/** A search as Trilium does it. What it makes of limits, orders and mistakes is in search/find.ts. */
import { assertId } from './ids.ts';
import { readSearch } from './read.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, SearchAnswer } from './types.ts';

export interface SearchRequest {
  readonly search: string;
  /** Titles and attributes only. */
  readonly fastSearch?: boolean | undefined;
  readonly includeArchivedNotes?: boolean | undefined;
  readonly ancestorNoteId?: string | undefined;
  /** `eq1`, `lt3`, `gt2`. */
  readonly ancestorDepth?: string | undefined;
  /** Keeps an order that stands in the query. No other value does what it says. */
  readonly orderBy?: 'relevancy' | undefined;
  readonly debug?: boolean | undefined;
}

export type SearchApi = (request: SearchRequest, options?: CallOptions) => Promise<SearchAnswer>;

/** Full text over many notes is slow. */
const SEARCH_PATIENCE = 3;

export function searchApi({ json }: Transport): SearchApi {
  return async ({ ancestorNoteId, ...query }, options) =>
    json(
      {
        patience: SEARCH_PATIENCE,
        ...options,
        path: ['notes'],
        query: {
          ...query,
          ancestorNoteId: ancestorNoteId === undefined ? undefined : assertId(ancestorNoteId),
        },
      },
      readSearch,
    );
}
