import { onTestFinished } from 'vitest';
import type { NotePath } from '../../src/notes/path.ts';
import { PathFilter } from '../../src/notes/path-filter.ts';
import type { SearchRequest } from '../../src/notes/searcher.ts';
import type { NoteStore } from '../../src/notes/store.ts';
import { type IndexedSearcher, openSearcher, type SearcherOptions } from '../../src/search/open-searcher.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openFolderStore } from '../../src/stores/folder/store.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { guarded } from '../../src/stores/wrap/guarded.ts';
import { temporaryFolder } from '../kit/temp.ts';

export const at = (path: string) => path as NotePath;

export interface SearchSetup {
  readonly searcher: IndexedSearcher;
  readonly store: NoteStore;
  /** Paths of the hits, in order. */
  readonly paths: (query: string, more?: Partial<SearchRequest>) => Promise<string[]>;
}

export async function searchIn(seed: Readonly<Record<string, string>>): Promise<SearchSetup> {
  return searching(openMemoryStore(seed));
}

export async function searchInFolder(
  seed: Readonly<Record<string, string>>,
  options: { snapshotFile?: string } = {},
): Promise<SearchSetup & { readonly folder: string }> {
  const folder = await temporaryFolder(seed);
  return { folder, ...(await searching(await openNotes(folder), options)) };
}

export async function openNotes(folder: string): Promise<NoteStore> {
  const filter = new PathFilter();
  return guarded(await openFolderStore(folder, { isVisible: (path) => !filter.isHidden(path) }), filter);
}

export async function searching(
  store: NoteStore,
  options: Partial<SearcherOptions> = {},
): Promise<SearchSetup> {
  const searcher = openSearcher(store, { log: silentLog, ...options });
  onTestFinished(() => searcher.close());
  return {
    searcher,
    store: searcher.store,
    paths: async (query, more = {}) =>
      (await searcher.search({ query, limit: 100, ...more })).hits.map(({ path }) => path),
  };
}
