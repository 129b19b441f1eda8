/**
 * What is not as a listing says. Small synchronous calls in short turns are several times faster here than as
 * many asynchronous ones, and nothing waits longer than a turn. Two threads can share the work: each claims
 * some rows at a time until none is left.
 */
import { ROOT } from '../../notes/path.ts';
import type { Listing, ListingColumns, ListingDifference } from '../../notes/store.ts';
import type { Yielder } from '../../shared/async/time-slices.ts';
import { lstatQuietly, statQuietly } from './read-file.ts';

/** What stands in for the size of a folder. */
export const FOLDER = -1;
/** What stands in for the size where there is neither a file nor a folder. */
export const NOTHING = -2;

const ROWS_AT_A_TIME = 50;

/** How many rows have been claimed so far. */
export type Claims = Int32Array<ArrayBufferLike>;

/** Those found here, in no order. Rows are folders, which are not followed when they are links, then files, which are. */
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

/** The root is one of the folders, whether the listing knows it or not. */
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
