/** What the launcher has begun with, for the notes that are served; and what it should begin with next time. */
import type { Worker } from 'node:worker_threads';
import type { ListingCheck, ListingColumns } from '../notes/store.ts';
import type { PrefetchedSnapshot } from '../search/index/snapshot.ts';
import { differences } from '../stores/folder/differences.ts';
import { PREFETCH, type Prefetch } from './prefetch.ts';
import { type IndexedFolder, rememberStart } from './start-history.ts';

/** Long enough to be out of the way of the first calls. */
const REMEMBER_AFTER_MS = 3_000;
/** Where more is not as it was, a watch should not begin with how it was. */
const FEW = 500;

const ahead = (globalThis as { [PREFETCH]?: Prefetch })[PREFETCH];
let hasCaughtUp = false;

/** Undefined when it has begun with nothing, or with something else. */
export async function prefetchedIndexFor(kept: IndexedFolder): Promise<PrefetchedSnapshot | undefined> {
  if (ahead?.folder === kept.folder && ahead.indexFile === kept.indexFile) return headStartOf(ahead);
  void ahead?.thread.terminate();
  rememberLater(kept);
  return undefined;
}

/** The thread that looked, when it knows almost all there is; once. */
export function prefetchWorker(): Worker | undefined {
  if (!hasCaughtUp || ahead?.isGone()) return undefined;
  hasCaughtUp = false;
  return ahead?.thread;
}

async function headStartOf({ read, claims, found }: Prefetch): Promise<PrefetchedSnapshot | undefined> {
  const ready = await read;
  if (!ready) return undefined;
  const { root, begun, bytes } = ready;
  const look = (columns: ListingColumns): ListingCheck => ({
    root,
    begun,
    finish: async (turns) => {
      const here = await differences(root, columns, turns, claims);
      const there = await found;
      if (!there) return undefined;
      hasCaughtUp = here.length + there.length < FEW;
      return [...here, ...there];
    },
  });
  return { bytes: Buffer.from(bytes), look };
}

/** Once there is an index. */
function rememberLater(kept: IndexedFolder): void {
  const remember = () => {
    try {
      rememberStart(process, kept);
    } catch {
      // No index was saved, or nothing can be: the next start is like this one.
    }
  };
  process.once('exit', remember);
  setTimeout(remember, REMEMBER_AFTER_MS).unref();
}
