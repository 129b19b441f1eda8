/** The listing in a saved index. A module of its own, because the worker that needs only this should load no more. */
import type { NotePath } from '../../notes/path.ts';
import type { Listing, ListingToken } from '../../notes/store.ts';
import { unpackStrings } from '../../shared/ids.ts';
import type { ArrayFile } from './array-file.ts';

/** Incremented with every change of the stored arrays or of the tokenizer. */
const FORMAT = 8;
export const MAGIC = `quire index ${FORMAT}\n`;

export interface PackedNotes {
  /** The paths, with a NUL between two. */
  readonly paths: Uint8Array;
  readonly bytes: Float64Array;
  readonly times: Float64Array;
  /** Tokens plus one; 0 for a file that is not indexed. */
  readonly sizes: Uint32Array;
  /** As JSON, one after the other, and where each begins. */
  readonly details: Uint8Array;
  readonly detailStarts: Uint32Array;
}

export function listingIn({ arrays }: ArrayFile): Listing {
  const { index, folders } = arrays as unknown as { index: { notes: PackedNotes }; folders: ListingToken };
  return {
    paths: unpackStrings(index.notes.paths, index.notes.sizes.length) as NotePath[],
    sizes: index.notes.bytes,
    times: index.notes.times,
    // Copied, because a view would keep the whole file in memory.
    token: Object.fromEntries(Object.entries(folders).map(([name, array]) => [name, array.slice()])),
  };
}
