/** Search over one folder in this process, in each of its modes. */

import { PathFilter } from '../src/notes/path-filter.ts';
import type { SearchMode } from '../src/notes/searcher.ts';
import { openSearcher } from '../src/search/open-searcher.ts';
import { silentLog } from '../src/shared/log.ts';
import { openFolderStore } from '../src/stores/folder/store.ts';
import { guarded } from '../src/stores/wrap/guarded.ts';

export async function openSearch(folder: string) {
  const filter = new PathFilter();
  const isVisible = (path: string) => !filter.isHidden(path);
  const store = guarded(await openFolderStore(folder, { isVisible, untouched: true }), filter);
  const searcher = openSearcher(store, { log: silentLog });
  searcher.start();
  await searcher.meaningKnown();
  return {
    search: async (query: string, mode: SearchMode, limit: number) =>
      (await searcher.search({ query, mode, limit })).hits.map(({ path }) => path),
    async close() {
      await searcher.close();
      await store.close();
    },
  };
}

export { isStopWord } from '../src/notes/text/analyzer.ts';
