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
/** Reads that are closer to each other are in a row. */
const IN_A_ROW_MS = 500;

interface RecalledNote {
  readonly note: TriliumNote;
  /** One of many reads in a row, such as an indexer makes: it looks again when the next listing shows a change. */
  readonly isBulk: boolean;
}

interface Listing {
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
  /** By a change, not by age: whoever was reading everything goes on, and needs another. */
  let isForgotten = false;
  let inARow = 0;
  let usedAt = Number.NEGATIVE_INFINITY;

  const fresh: Listing['fresh'] = async (signal) => {
    const begun = now();
    const before = changes;
    const files = await make(signal);
    const leaseMs = Math.max(LEASE_MS, LEASE_PER_MS * (now() - begun));
    if (before === changes) {
      kept = { files, until: begun + leaseMs, uses: 0 };
      isForgotten = false;
    }
    return files;
  };

  const renew = (): Promise<ListedFiles> => {
    if (renewing) return renewing;
    const made = fresh().finally(() => {
      if (renewing === made) renewing = undefined;
    });
    renewing = made;
    return made;
  };

  return {
    fresh,
    recall: async (path) => {
      inARow = now() - usedAt < IN_A_ROW_MS ? inARow + 1 : 1;
      usedAt = now();
      if (kept) kept.uses++;
      const isBulk = Math.max(kept?.uses ?? 0, kept || isForgotten ? inARow : 0) >= WORTH_RENEWING;
      const recalled = (files: ListedFiles): RecalledNote | undefined => {
        const note = files.get(path);
        return note && { note, isBulk };
      };
      if (kept && now() < kept.until) return recalled(kept.files);
      if (isBulk) return recalled(await renew());
      kept = undefined;
      return undefined;
    },
    forget: () => {
      changes++;
      isForgotten ||= kept !== undefined;
      kept = undefined;
      renewing = undefined;
    },
  };
}
