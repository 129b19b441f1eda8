/**
 * Lists a folder incrementally, based on an earlier listing: known files are checked by size and time, and only
 * folders whose own time stamp moved are read.
 */
import { closeSync, constants, openSync, readdirSync, readlinkSync } from 'node:fs';
import { join, sep } from 'node:path';
import { joinPath, type NotePath, parentOf, ROOT } from '../../notes/path.ts';
import type { Listing, ListingChanges, NoteMeta } from '../../notes/store.ts';
import { createYielder, type Yielder } from '../../shared/async/time-slices.ts';
import {
  differences,
  type EntryState,
  FOLDER,
  fileState,
  folderState,
  type ListedRows,
  NOTHING,
  type RowDifference,
  rowsOf,
  type SharedComparison,
  withMarks,
} from './differences.ts';
import { isLitterName, sweep } from './file.ts';
import { HAS_PROC, type Root } from './root.ts';
import { type FolderContent, ownFolders, readFolder, toMeta } from './walk.ts';

const TURN_MS = 8;
/** So many changed files are told of at once. */
const TOLD_AT_ONCE = 500;
/** A folder modified this recently may change again without its time stamp moving. */
const UNSETTLED_MS = 100;
/** Maximum age of a comparison that was begun elsewhere. */
const COMPARISON_FRESH_MS = 1_000;

interface RelistOptions {
  readonly signal?: AbortSignal;
  /** Whether temporary files of dead processes may be removed. */
  readonly sweeps?: boolean;
  /** Told of changed files while others are looked for; the result is without those. */
  readonly onChanged?: ((changed: readonly NoteMeta[]) => void) | undefined;
  readonly comparison?: SharedComparison | undefined;
}

export async function relist(
  root: Root,
  before: Listing,
  options: RelistOptions = {},
): Promise<ListingChanges> {
  const turns = createYielder(TURN_MS);
  const listed = rowsOf(before);
  const { begun, differing } = await compare(root, listed, options.comparison, turns);
  options.signal?.throwIfAborted();
  const examination = new Examination(root, begun, turns, options);
  if (differing.length > 0) await examination.examine(listed, differing);
  const { changed, removed, remarked } = examination;
  return { changed, removed, token: withMarks(before.token, remarked) };
}

/** Joins the comparison that was begun elsewhere if it is of this root and recent. */
async function compare(
  root: Root,
  listed: ListedRows,
  shared: SharedComparison | undefined,
  turns: Yielder,
): Promise<{ begun: number; differing: readonly RowDifference[] }> {
  const isOfUse = shared?.root === root.real && Math.abs(Date.now() - shared.begun) < COMPARISON_FRESH_MS;
  const differing = isOfUse ? await shared.finish(listed, turns) : undefined;
  if (shared && differing) return { begun: shared.begun, differing };
  return { begun: Date.now(), differing: await differences(root.real, listed, turns) };
}

/** Rows of files in the given folders. Comparing the length of the parent path first rules most files out cheaply. */
function rowsIn(folders: ReadonlyMap<string, unknown>, files: readonly NotePath[]): number[] {
  const rows: number[] = [];
  if (folders.size === 0) return rows;
  const lengths = new Set([...folders.keys()].map((path) => path.length));
  for (let row = 0; row < files.length; row++) {
    const path = files[row]!;
    if (lengths.has(Math.max(0, path.lastIndexOf('/'))) && folders.has(parentOf(path))) rows.push(row);
  }
  return rows;
}

const GONE: EntryState = { size: NOTHING, modified: 0 };

/** Finds out what the rows that differ mean, and reads the folders among them. */
class Examination {
  readonly changed: NoteMeta[] = [];
  readonly removed: NotePath[] = [];
  /** Modification times of folders that moved; undefined for those that are gone. */
  readonly remarked = new Map<NotePath, number | undefined>();
  readonly #root: Root;
  /** When the comparison started. */
  readonly #begun: number;
  readonly #turns: Yielder;
  readonly #options: RelistOptions;
  /** Known files of folders about to be read; entries left over afterwards were removed. */
  readonly #sought = new Map<NotePath, EntryState>();

  constructor(root: Root, begun: number, turns: Yielder, options: RelistOptions) {
    this.#root = root;
    this.#begun = begun;
    this.#turns = turns;
    this.#options = options;
  }

  async examine(listed: ListedRows, differing: readonly RowDifference[]): Promise<void> {
    const { folders, files } = listed;
    const odd = new Map<string, 'moved' | 'gone'>();
    const others = new Map<number, RowDifference>();
    for (const difference of differing) {
      const { row, size, modified } = difference;
      const folder = folders[row];
      if (folder === undefined) others.set(row - folders.length, difference);
      else {
        odd.set(folder, size === FOLDER ? 'moved' : 'gone');
        this.#mark(folder, size === FOLDER ? modified : undefined);
      }
    }
    for (const row of new Set([...others.keys(), ...rowsIn(odd, files)])) {
      const folder = odd.get(parentOf(files[row]!));
      const then = { size: listed.sizes[row]!, modified: listed.times[row]! };
      if (folder === 'moved') this.#sought.set(files[row]!, then);
      else this.#compare(files[row]!, then, folder === 'gone' ? GONE : others.get(row)!);
    }
    const moved = folders.filter((path) => odd.get(path) === 'moved');
    if (moved.length > 0) await this.#readFolders(moved, new Set(folders));
    this.removed.push(...this.#sought.keys());
  }

  /** Records a folder's modification time; undefined when the folder is gone. */
  #mark(folder: NotePath, modified: number | undefined): void {
    const isSettled = modified === undefined || this.#begun - modified >= UNSETTLED_MS;
    this.remarked.set(folder, isSettled ? modified : 0);
  }

  #compare(path: NotePath, then: EntryState | undefined, { size, modified }: EntryState): void {
    if (size < 0) {
      if (then) this.removed.push(path);
    } else if (then?.size !== size || then.modified !== Math.trunc(modified))
      this.changed.push(toMeta(path, { size, mtimeMs: modified }));
  }

  /** Reads folders, and unknown folders below them, breadth first. */
  async #readFolders(paths: readonly NotePath[], known: ReadonlySet<NotePath>): Promise<void> {
    const root = this.#root;
    const queue = [...paths];
    for (const path of queue) {
      this.#options.signal?.throwIfAborted();
      const content = readPlainFolder(root, path) ?? (await readFolder(root, path));
      if (!content) continue;
      if (content.litter.length > 0) await this.#leaveLitter(content);
      for (const name of content.files) {
        const file = joinPath(path, name);
        this.#compare(file, this.#sought.get(file), fileState(root.real, file));
        this.#sought.delete(file);
        this.#tell();
        const pause = this.#turns();
        if (pause) await pause;
      }
      for (const name of ownFolders(content)) {
        const folder = joinPath(path, name);
        if (known.has(folder)) continue;
        const { size, modified } = folderState(root.real, folder);
        if (size !== FOLDER) continue;
        this.#mark(folder, modified);
        queue.push(folder);
      }
      const pause = this.#turns();
      if (pause) await pause;
    }
  }

  #tell(): void {
    const { onChanged } = this.#options;
    if (onChanged && this.changed.length >= TOLD_AT_ONCE) onChanged(this.changed.splice(0));
  }

  /** Removes temporary files of dead processes; a folder in which one remains is read again at the next listing. */
  async #leaveLitter({ path, litter }: FolderContent): Promise<void> {
    this.remarked.set(path, 0);
    if (!this.#options.sweeps) return;
    for (const name of litter) await sweep(join(this.#root.real, path), name).catch(() => {});
  }
}

/**
 * Reads a folder without links through an open descriptor; undefined when links or anything unusual require the
 * asynchronous path.
 */
export function readPlainFolder(root: Root, path: NotePath): FolderContent | undefined {
  if (!HAS_PROC) return undefined;
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const place = path === ROOT ? root.real : `${root.real}${sep}${path}`;
  let folder: number;
  try {
    folder = openSync(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    const open = `/proc/self/fd/${folder}`;
    if (readlinkSync(open) !== place) return undefined;
    const entries = readdirSync(open, { withFileTypes: true });
    const files: string[] = [];
    const folders: string[] = [];
    const litter: string[] = [];
    for (const entry of entries) {
      const { name } = entry;
      if (entry.isSymbolicLink()) return undefined;
      if (isLitterName(name)) litter.push(name);
      else if (entry.isFile()) {
        if (root.isVisible(joinPath(path, name), 'file')) files.push(name);
      } else if (entry.isDirectory() && root.isVisible(joinPath(path, name), 'folder')) folders.push(name);
    }
    return { path, files: files.sort(), folders: folders.sort(), linked: [], litter };
  } finally {
    closeSync(folder);
  }
}
