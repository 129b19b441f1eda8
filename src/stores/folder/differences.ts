/**
 * Compares the files on disk with a listing. Short synchronous calls in time slices are several times faster here
 * than asynchronous ones, and block the event loop for no longer than a slice. Two threads can share the work by
 * claiming rows from a shared counter.
 */
import { ROOT } from '../../notes/path.ts';
import type { Listing, ListingColumns, ListingDifference } from '../../notes/store.ts';
import type { Yielder } from '../../shared/async/time-slices.ts';
import { lstatQuietly, statQuietly } from './read-file.ts';

/** Size value that marks a folder. */
export const FOLDER = -1;
/** Size value that marks a missing entry. */
export const NOTHING = -2;

const ROWS_AT_A_TIME = 50;

/** Shared counter of claimed rows. */
export type Claims = Int32Array<ArrayBufferLike>;

/**
 * Differences found by this thread, unordered. Rows are folders (links are not followed), then files (links are
 * followed).
 */
export async function differences(
  root: string,
  listed: ListingColumns,
  turns: Yielder,
  claims: Claims = new Int32Array(1),
): Promise<ListingDifference[]> {
  const { folders, marks, files, sizes, times } = listed;
  const rows = folders.length + files.length;
  const found: ListingDifference[] = [];
  const look = (row: number) => {
    const at = row - folders.length;
    const entry = at < 0 ? lstatQuietly(`${root}/${folders[row]}`) : statQuietly(`${root}/${files[at]}`);
    const size = entry?.isFile() ? entry.size : entry?.isDirectory() ? FOLDER : NOTHING;
    const modified = entry ? entry.mtimeMs : 0;
    const isAsListed =
      at < 0
        ? size === FOLDER && modified === marks[row]
        : size === sizes[at] && Math.trunc(modified) === times[at];
    if (!isAsListed) found.push({ row, size, modified });
  };
  for (;;) {
    const first = Atomics.add(claims, 0, ROWS_AT_A_TIME);
    if (first >= rows) return found;
    const end = Math.min(rows, first + ROWS_AT_A_TIME);
    for (let row = first; row < end; row++) look(row);
    const pause = turns();
    if (pause) await pause;
  }
}

/** The root is added to the folders if the listing lacks it. */
export function columnsOf({ files, marks, columns }: Listing): ListingColumns {
  if (columns?.folders[0] === ROOT) return columns;
  const folders = [...(marks.has(ROOT) ? [] : [ROOT]), ...marks.keys()];
  return {
    folders,
    marks: Float64Array.from(folders, (path) => marks.get(path) ?? Number.NaN),
    files: files.map(({ path }) => path),
    sizes: Float64Array.from(files, ({ size }) => size),
    times: Float64Array.from(files, ({ lastModified }) => lastModified),
  };
}
