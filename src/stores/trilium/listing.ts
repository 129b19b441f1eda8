/**
 * The paths of a tree, kept for a moment. Finding one path takes a request for each of its folders, and whoever lists
 * the notes reads many of them next. Only reads may use it: what is written is looked up anew.
 */
import type { NotePath } from '../../notes/path.ts';
import type { TriliumNote } from './wire/types.ts';

export type ListedFiles = ReadonlyMap<NotePath, TriliumNote>;

/** How long a listing is believed; longer where making one takes long. */
const LEASE_MS = 3_000;
const LEASE_PER_MS = 10;
/** A listing that was used so often is made again when its time is over: somebody is reading everything. */
const WORTH_RENEWING = 8;

export interface RecalledNote {
  readonly note: TriliumNote;
  /** One of many reads in a row, such as an indexer makes: it looks again when the next listing shows a change. */
  readonly isBulk: boolean;
}

export interface Listing {
  /** Made anew. */
  fresh(signal?: AbortSignal): Promise<ListedFiles>;
  /** The note that was at a path a moment ago, if that is known. */
  recall(path: NotePath): Promise<RecalledNote | undefined>;
  /** The tree was changed. */
  forget(): void;
}

interface Kept {
  readonly files: ListedFiles;
  readonly until: number;
  uses: number;
}

export function createListing(
  make: (signal?: AbortSignal) => Promise<ListedFiles>,
  now: () => number = Date.now,
): Listing {
  let kept: Kept | undefined;
  let renewing: Promise<ListedFiles> | undefined;
  /** A listing that was begun before a change does not show it. */
  let changes = 0;

  const fresh: Listing['fresh'] = async (signal) => {
    const begun = now();
    const before = changes;
    const files = await make(signal);
    const leaseMs = Math.max(LEASE_MS, LEASE_PER_MS * (now() - begun));
    if (before === changes) kept = { files, until: begun + leaseMs, uses: 0 };
    return files;
  };

  const renew = (): Promise<ListedFiles> => {
    renewing ??= fresh().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  return {
    fresh,
    recall: async (path) => {
      if (!kept) return undefined;
      kept.uses++;
      const isBulk = kept.uses >= WORTH_RENEWING;
      const recalled = (files: ListedFiles): RecalledNote | undefined => {
        const note = files.get(path);
        return note && { note, isBulk };
      };
      if (now() < kept.until) return recalled(kept.files);
      if (isBulk) return recalled(await renew());
      kept = undefined;
      return undefined;
    },
    forget: () => {
      changes++;
      kept = undefined;
    },
  };
}
