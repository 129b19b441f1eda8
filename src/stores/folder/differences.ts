/**
 * Compares the files on disk with a listing. Short synchronous calls in time slices are several times faster here
 * than asynchronous ones, and block the event loop for no longer than a slice. Two threads can share the work by
 * claiming rows from a shared counter.
 */
import type { Stats } from 'node:fs';
import { type NotePath, ROOT } from '../../notes/path.ts';
import type { Listing, ListingToken } from '../../notes/store.ts';
import type { Yielder } from '../../shared/async/time-slices.ts';
import { packStrings, unpackStrings } from '../../shared/ids.ts';
import { lstatQuietly, statQuietly } from './read-file.ts';

/** The folders of a listing with their own modification times, which move when an entry comes or goes. */
interface FolderToken extends ListingToken {
  readonly paths: Uint8Array;
  readonly marks: Float64Array;
}

/** A listing with its folders. Rows are folders, then files. */
export interface ListedRows {
  readonly folders: readonly NotePath[];
  readonly marks: ArrayLike<number>;
  readonly files: readonly NotePath[];
  readonly sizes: ArrayLike<number>;
  readonly times: ArrayLike<number>;
  /** Without it the root is a row all the same, with a mark that equals no other. */
  readonly hasRoot: boolean;
}

export function rowsOf({ paths: files, sizes, times, token }: Listing): ListedRows {
  const { folders, marks } = unpackToken(token);
  const hasRoot = folders.includes(ROOT);
  return hasRoot
    ? { folders, marks, files, sizes, times, hasRoot }
    : { folders: [ROOT, ...folders], marks: [Number.NaN, ...marks], files, sizes, times, hasRoot };
}

/** The token with other marks; undefined for those of folders that are gone. */
export function withMarks(
  token: ListingToken | undefined,
  remarked: ReadonlyMap<NotePath, number | undefined>,
): ListingToken | undefined {
  if (remarked.size === 0) return token;
  const { folders, marks } = unpackToken(token);
  const after = new Map(folders.map((path, row) => [path, marks[row]!]));
  for (const [path, mark] of remarked) {
    if (mark === undefined) after.delete(path);
    else after.set(path, mark);
  }
  return {
    paths: packStrings(after.keys()),
    marks: Float64Array.from(after.values()),
  } satisfies FolderToken;
}

function unpackToken(token: ListingToken | undefined): { folders: NotePath[]; marks: Float64Array } {
  if (!token) return { folders: [], marks: new Float64Array() };
  // Only this store makes the tokens of its listings.
  const { paths, marks } = token as FolderToken;
  return { folders: unpackStrings(paths, marks.length) as NotePath[], marks };
}

export interface EntryState {
  /** In bytes, or `FOLDER` or `NOTHING`. */
  readonly size: number;
  readonly modified: number;
}

/** A row that differs from the listing, and its present state. */
export interface RowDifference extends EntryState {
  readonly row: number;
}

/** A comparison with a listing that another thread has begun. */
export interface SharedComparison {
  /** Real path of the folder. */
  readonly root: string;
  /** Milliseconds since 1970. */
  readonly begun: number;
  /** Does the rest of the work in this thread too; undefined when the other thread has failed. */
  finish(listed: ListedRows, turns: Yielder): Promise<readonly RowDifference[] | undefined>;
}

/** Size value that marks a folder. */
export const FOLDER = -1;
/** Size value that marks a missing entry. */
export const NOTHING = -2;

const ROWS_AT_A_TIME = 50;

/** Shared counter of claimed rows. */
export type Claims = Int32Array<ArrayBufferLike>;

/** Follows links. */
export function fileState(root: string, path: NotePath): EntryState {
  return stateOf(statQuietly(`${root}/${path}`));
}

/** Does not follow links. */
export function folderState(root: string, path: NotePath): EntryState {
  return stateOf(lstatQuietly(`${root}/${path}`));
}

function stateOf(entry: Stats | undefined): EntryState {
  const size = entry?.isFile() ? entry.size : entry?.isDirectory() ? FOLDER : NOTHING;
  return { size, modified: entry ? entry.mtimeMs : 0 };
}

/** Differences found by this thread, unordered. */
export async function differences(
  root: string,
  listed: ListedRows,
  turns: Yielder,
  claims: Claims = new Int32Array(1),
): Promise<RowDifference[]> {
  const { folders, marks, files, sizes, times } = listed;
  const rows = folders.length + files.length;
  const found: RowDifference[] = [];
  const look = (row: number) => {
    const at = row - folders.length;
    const { size, modified } = at < 0 ? folderState(root, folders[row]!) : fileState(root, files[at]!);
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
