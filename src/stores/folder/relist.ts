/**
 * Lists again, knowing what was there before: known files are asked for their size and time, and only folders
 * whose own time stamp moved are read.
 */
import { closeSync, constants, openSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { joinPath, type NotePath, parentOf } from '../../notes/path.ts';
import type { Difference, Listing, ListingChanges, NoteMeta } from '../../notes/store.ts';
import { type Turns, turnsOf } from '../../shared/turns.ts';
import { columnsOf, differences, FOLDER, listedFolders, NOTHING } from './differences.ts';
import { isLitterName, sweep } from './litter.ts';
import { HAS_PROC, type Root } from './root.ts';
import { statMany } from './stat-many.ts';
import { type FolderContent, ownFolders, readFolder, toMeta } from './walk.ts';

const TURN_MS = 8;
/** A folder that changed this recently may change again without its time stamp moving. */
const UNSETTLED_MS = 100;
/** How long ago somebody else's look may have begun. */
const LOOK_FRESH_MS = 1_000;

export interface RelistOptions {
  readonly signal?: AbortSignal;
  /** Whether what dead processes left behind may be removed. */
  readonly sweeps?: boolean;
}

export async function relist(
  root: Root,
  before: Listing,
  options: RelistOptions = {},
): Promise<ListingChanges> {
  const turns = turnsOf(TURN_MS);
  const differing = await differencesFrom(root, before, turns);
  options.signal?.throwIfAborted();
  if (differing.length === 0) return { changed: [], removed: [] };

  const found = new Findings(before);
  const folders = listedFolders(before);
  const odd = new Map<NotePath, 'moved' | 'gone'>();
  const sizes = new Map<number, Difference>();
  for (const difference of differing) {
    const { row, size, modified } = difference;
    const folder = folders[row];
    if (folder === undefined) sizes.set(row - folders.length, difference);
    else if (size === FOLDER) {
      found.mark(folder, modified);
      odd.set(folder, 'moved');
    } else {
      found.marks.delete(folder);
      odd.set(folder, 'gone');
    }
  }
  /** In folders that are about to be read, until they turn up there. */
  const sought = new Map<NotePath, NoteMeta>();
  const rows = odd.size === 0 ? sizes.keys() : before.files.keys();
  for (const row of rows) {
    const meta = before.files[row]!;
    const folder = odd.get(parentOf(meta.path));
    const { size, modified } = sizes.get(row) ?? { size: meta.size, modified: meta.lastModified };
    if (folder === 'moved') sought.set(meta.path, meta);
    else found.compare(meta.path, meta, folder === 'gone' ? NOTHING : size, modified);
  }
  const moved = folders.filter((path) => odd.get(path) === 'moved');
  await readFolders(
    { root, turns, found, sought, isKnown: (path) => before.marks.has(path), options },
    moved,
  );
  found.removed.push(...sought.keys());
  return found;
}

/** By the look that was begun, where that was at the same place and not long ago. */
async function differencesFrom(root: Root, before: Listing, turns: Turns): Promise<readonly Difference[]> {
  const { look } = before;
  const isOfUse = look?.root === root.real && Math.abs(Date.now() - look.begun) < LOOK_FRESH_MS;
  const seen = isOfUse ? await look.finish(turns) : undefined;
  return seen ?? differences(root.real, columnsOf(before), turns);
}

class Findings implements ListingChanges {
  readonly changed: NoteMeta[] = [];
  readonly removed: NotePath[] = [];
  readonly marks: Map<string, number>;
  readonly #now = Date.now();

  constructor(before: Listing) {
    this.marks = new Map(before.marks);
  }

  mark(folder: NotePath, modified: number): void {
    this.marks.set(folder, this.#now - modified < UNSETTLED_MS ? 0 : modified);
  }

  /** A negative size means that there is no such file. */
  compare(path: NotePath, old: NoteMeta | undefined, size: number, mtimeMs: number): void {
    if (size < 0) {
      if (old) this.removed.push(path);
    } else if (old?.size !== size || old.lastModified !== Math.trunc(mtimeMs))
      this.changed.push(toMeta(path, { size, mtimeMs }));
  }
}

interface Reading {
  readonly root: Root;
  readonly turns: Turns;
  readonly found: Findings;
  readonly sought: Map<NotePath, NoteMeta>;
  readonly isKnown: (folder: NotePath) => boolean;
  readonly options: RelistOptions;
}

/** Reads folders, and those in them that nobody knew, level by level. */
async function readFolders(reading: Reading, paths: readonly NotePath[]): Promise<void> {
  const { root, turns, found, sought, options } = reading;
  for (let level = paths; level.length > 0; ) {
    const contents: FolderContent[] = [];
    for (const path of level) {
      const pause = turns();
      if (pause) await pause;
      options.signal?.throwIfAborted();
      const content = readPlainFolder(root, path) ?? (await readFolder(root, path));
      if (content) contents.push(content);
      if (content && content.litter.length > 0) await leaveLitter(reading, content);
    }
    const folders = contents
      .flatMap((content) => ownFolders(content).map((name) => joinPath(content.path, name)))
      .filter((path) => !reading.isKnown(path));
    const files = contents.flatMap((content) => content.files.map((name) => joinPath(content.path, name)));
    const stats = await statMany(root.real, { folders, files }, turns);
    for (const [at, path] of files.entries()) {
      found.compare(path, sought.get(path), stats.files.size(at), stats.files.modified(at));
      sought.delete(path);
    }
    level = folders.filter((path, at) => {
      const isThere = stats.folders.size(at) === FOLDER;
      if (isThere) found.mark(path, stats.folders.modified(at));
      return isThere;
    });
  }
}

/** What dead processes left is removed; a folder where something is left after that is read again next time. */
async function leaveLitter(
  { root, found, options }: Reading,
  { path, litter }: FolderContent,
): Promise<void> {
  found.marks.set(path, 0);
  if (options.sweeps) for (const name of litter) await sweep(join(root.real, path), name).catch(() => {});
}

/** The content of a folder without links, read while it is held open; undefined when it needs a closer look. */
export function readPlainFolder(root: Root, path: NotePath): FolderContent | undefined {
  if (!HAS_PROC) return undefined;
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  let folder: number;
  try {
    folder = openSync(join(root.real, path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    if (readlinkSync(`/proc/self/fd/${folder}`) !== join(root.real, path).replace(/\/$/, ''))
      return undefined;
    const entries = readdirSync(`/proc/self/fd/${folder}`, { withFileTypes: true });
    if (entries.some((entry) => entry.isSymbolicLink())) return undefined;
    const named = (kind: 'file' | 'folder') =>
      entries
        .filter((entry) => (kind === 'file' ? entry.isFile() : entry.isDirectory()))
        .map((entry) => entry.name)
        .filter((name) => root.isVisible(joinPath(path, name), kind));
    const litter = entries.map((entry) => entry.name).filter(isLitterName);
    return { path, files: named('file').sort(), folders: named('folder').sort(), linked: [], litter };
  } finally {
    closeSync(folder);
  }
}

export function groupByFolder(files: readonly NoteMeta[]): Map<NotePath, NoteMeta[]> {
  const groups = new Map<NotePath, NoteMeta[]>();
  for (const meta of files) {
    const folder = parentOf(meta.path);
    const group = groups.get(folder);
    if (group) group.push(meta);
    else groups.set(folder, [meta]);
  }
  return groups;
}
