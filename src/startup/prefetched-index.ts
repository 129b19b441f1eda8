/** What the launcher has begun with, for the notes that are served; and what it should begin with next time. */
import type { Worker } from 'node:worker_threads';
import type { BegunLook, ListingColumns } from '../notes/store.ts';
import type { HeadStart } from '../search/index/snapshot.ts';
import { differences } from '../stores/folder/differences.ts';
import { AHEAD, type Ahead } from './prefetch.ts';
import { type Kept, rememberStart } from './start-history.ts';

/** Long enough to be out of the way of the first calls. */
const REMEMBER_AFTER_MS = 3_000;
/** Where more is not as it was, a watch should not begin with how it was. */
const FEW = 500;

const ahead = (globalThis as { [AHEAD]?: Ahead })[AHEAD];
let hasCaughtUp = false;

/** Undefined when it has begun with nothing, or with something else. */
export async function headStartWith(kept: Kept): Promise<HeadStart | undefined> {
  if (ahead?.folder === kept.folder && ahead.indexFile === kept.indexFile) return headStartOf(ahead);
  void ahead?.thread.terminate();
  rememberLater(kept);
  return undefined;
}

/** The thread that looked, when it knows almost all there is; once. */
export function threadAhead(): Worker | undefined {
  if (!hasCaughtUp || ahead?.isGone()) return undefined;
  hasCaughtUp = false;
  return ahead?.thread;
}

async function headStartOf({ read, claims, found }: Ahead): Promise<HeadStart | undefined> {
  const ready = await read;
  if (!ready) return undefined;
  const { root, begun, bytes } = ready;
  const look = (columns: ListingColumns): BegunLook => ({
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
function rememberLater(kept: Kept): void {
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
