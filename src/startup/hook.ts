/** The start-up shortcuts as the one hook that the composition knows; see `StartupHook`. */
import type { StartupHook } from '../app/services.ts';
import { withListingAhead } from './listing-ahead.ts';
import { learnInWorker } from './meaning-worker.ts';
import { prefetchedIndexFor, prefetchWorker, withPrefetchedComparison } from './prefetch.ts';
import { tidyMemory } from './tidy-memory.ts';
import { searchCalls, warmUp } from './warm-up.ts';
import { watchInWorker } from './watch-worker.ts';

/** The workers' programs. */
export interface StartupPrograms {
  readonly indexThread: string;
  readonly folderThread: string;
  readonly meaningThread: string;
}

/** For a process that serves one client and was started by it. */
export function stdioStartup(programs: StartupPrograms): StartupHook {
  const { wrapFolderStore, ...workers } = serverStartup(programs);
  return {
    ...workers,
    wrapFolderStore: (store, watched) =>
      wrapFolderStore(withListingAhead(withPrefetchedComparison(store), watched), watched),
    prefetchedIndex: prefetchedIndexFor,
    warmUp: async (createServer, search, target) => warmUp(createServer, await searchCalls(search), target),
    tidyMemory: (target) => tidyMemory(target),
  };
}

/** For such a process with several folders: the prefetch is of one. */
export function jointStartup(programs: StartupPrograms): StartupHook {
  return { ...stdioStartup(programs), prefetchedIndex: undefined };
}

/** For a server that was started long before its clients come. */
export function serverStartup({ indexThread, folderThread, meaningThread }: StartupPrograms): StartupHook {
  return {
    startIndexWorker: async (folder, log) =>
      (await import('./index-worker.ts')).startIndexWorker({ file: indexThread, folder, log }),
    learnTerms: (matrix) => learnInWorker(meaningThread, matrix),
    wrapFolderStore: (store, watched) =>
      watchInWorker(store, watched, { threadFile: folderThread, prefetchWorker }),
  };
}
