/**
 * Reports added, changed and removed notes, whichever process changed them. One watch per folder, not per file: an
 * event only triggers a comparison, and the difference to the known state is the change. Folders that cannot be
 * watched (too many, a network mount) are compared regularly instead.
 */
import { type FSWatcher, type Stats, watch } from 'node:fs';
import { join } from 'node:path';
import { joinPath, type NotePath, nameOf, parentOf, ROOT } from '../../notes/path.ts';
import type { NoteChange, WatchOptions } from '../../notes/store.ts';
import { createYielder, type Yielder } from '../../shared/async/time-slices.ts';
import { isErrno } from '../../shared/fs/errno.ts';
import { differences, type ListedRows, rowsOf } from './differences.ts';
import { sweep } from './file.ts';
import { lstatQuietly } from './read-file.ts';
import { readPlainFolder } from './relist.ts';
import type { Root } from './root.ts';
import { ownFolders, readFolder } from './walk.ts';

const SETTLE_MS = 50;
/** Short time slices, because the first walk is background work. */
const TURN_MS = 2;
const RECHECK_MS = 2_000;

interface KnownFolder {
  /** The folder's own modification time, which changes when an entry is added, removed or renamed. */
  mark: number;
  /** Device and inode, to detect that another folder took its place. Undefined until the first comparison. */
  identity: string | undefined;
  /** State of each file: size and times. */
  files: Map<string, string>;
  folders: Set<string>;
}

interface FolderWatchOptions extends WatchOptions {
  /** Whether temporary files of dead processes may be removed. */
  readonly sweeps: boolean;
  readonly turns?: Yielder;
  /** For low-priority work. */
  readonly leisurely?: Yielder;
}

export async function watchFolder(
  root: Root,
  onChange: (changes: readonly NoteChange[]) => void,
  { since, turns = createYielder(TURN_MS), leisurely = turns, log, sweeps, onAnyChange }: FolderWatchOptions,
): Promise<() => Promise<void>> {
  const known = new Map<NotePath, KnownFolder>();
  const watchers = new Map<NotePath, FSWatcher>();
  const dirty = new Set<NotePath>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let stopped = false;
  let unwatched = 0;

  /** Changes in the order they were seen, so that a file that reappeared is not reported as removed afterwards. */
  const seen: NoteChange[] = [];
  const report = () => {
    const changes = seen.splice(0);
    if (!stopped && changes.length > 0) onChange(changes);
  };

  const announce = () => {
    if (stopped) return;
    onAnyChange?.(known.has(ROOT) && [...known.keys()].every((path) => watchers.has(path)));
  };

  const markDirty = (path: NotePath) => {
    dirty.add(path);
    timer ??= setTimeout(() => {
      timer = undefined;
      looking = looking.then(lookAgain).catch(() => {});
    }, SETTLE_MS).unref();
  };

  const startWatcher = (path: NotePath) => {
    try {
      const watcher = watch(join(root.real, path), { persistent: false }, () => markDirty(path));
      watchers.set(path, watcher);
      watcher.on('error', () => {
        if (watchers.get(path) === watcher) watchers.delete(path);
        watcher.close();
        announce();
      });
    } catch (error) {
      // The folder is gone; its parent's comparison reports it.
      if (isErrno(error, 'ENOENT', 'ENOTDIR')) return;
      if (unwatched++ === 0)
        log?.('warn', 'some folders cannot be watched; they are compared every few seconds instead', {
          error: String(error),
        });
    }
  };

  const stopWatcher = (path: NotePath) => {
    watchers.get(path)?.close();
    watchers.delete(path);
  };

  /** Creates a watch unless this folder has one; a watch of a folder that stood here before does not count. */
  const assureWatcher = (path: NotePath, before: KnownFolder | undefined) => {
    const isAnother =
      before?.identity !== undefined && before.identity !== folderAt(join(root.real, path)).identity;
    if (watchers.has(path) && !isAnother) return;
    stopWatcher(path);
    startWatcher(path);
  };

  const forget = (path: NotePath) => {
    stopWatcher(path);
    const folder = known.get(path);
    if (!folder) return;
    known.delete(path);
    for (const name of folder.files.keys()) seen.push({ kind: 'removed', path: joinPath(path, name) });
    for (const name of folder.folders) forget(joinPath(path, name));
  };

  /** Reads the folder and reports the differences to the known state. */
  const look = async (path: NotePath): Promise<void> => {
    const before = known.get(path);
    const pause = turns();
    if (pause) await pause;
    // The watch is set before the comparison, so that no change falls between the two.
    assureWatcher(path, before);
    const { mark, identity } = folderAt(join(root.real, path));
    const content = stopped ? undefined : (readPlainFolder(root, path) ?? (await readFolder(root, path)));
    if (!content) return forget(path);
    if (sweeps) for (const name of content.litter) await sweep(join(root.real, path), name).catch(() => {});
    const files = new Map<string, string>();
    for (const name of content.files) {
      const entry = lstatQuietly(join(root.real, path, name));
      if (!entry) continue;
      files.set(name, stampOf(entry));
      const old = before?.files.get(name);
      if (!isSame(old, entry))
        seen.push({ kind: old === undefined ? 'added' : 'changed', path: joinPath(path, name) });
    }
    for (const name of before?.files.keys() ?? [])
      if (!files.has(name)) seen.push({ kind: 'removed', path: joinPath(path, name) });
    const folders = new Set(ownFolders(content));
    known.set(path, { mark, identity, files, folders });
    for (const name of before?.folders ?? []) if (!folders.has(name)) forget(joinPath(path, name));
    for (const name of folders) if (!known.has(joinPath(path, name))) await look(joinPath(path, name));
  };

  /** Like `look`, for a folder that has most likely not changed: it is read only if its own time stamp moved. */
  const compare = async (path: NotePath, folder: KnownFolder): Promise<void> => {
    const pause = leisurely();
    if (pause) await pause;
    if (stopped || known.get(path) !== folder) return;
    const { mark, identity } = folderAt(join(root.real, path));
    folder.identity ??= identity;
    if (mark !== folder.mark || identity !== folder.identity) return look(path);
    const files = new Map<string, string>();
    for (const [name, old] of folder.files) {
      const entry = lstatQuietly(join(root.real, path, name));
      if (!entry) return look(path);
      files.set(name, stampOf(entry));
      if (!isSame(old, entry)) seen.push({ kind: 'changed', path: joinPath(path, name) });
    }
    folder.files = files;
  };

  const lookAgain = async () => {
    const paths = [...dirty].sort();
    dirty.clear();
    for (const path of paths) if (path === ROOT || known.has(path)) await look(path);
    report();
    announce();
  };

  const compareAll = async (folders: readonly (readonly [NotePath, KnownFolder])[]) => {
    for (const [path, folder] of folders) {
      await compare(path, folder);
      report();
    }
  };

  /** Sets all watches before any comparison, so that no change falls between; then reports quick differences first. */
  const goOnFrom = async (listed: ListedRows) => {
    await turns();
    for (const path of listed.folders) {
      if (stopped) return;
      startWatcher(path);
      const pause = turns();
      if (pause) await pause;
    }
    const { files, folders } = await differencesFrom(listed);
    for (const { path, size } of files) seen.push({ kind: size < 0 ? 'removed' : 'changed', path });
    report();
    for (const [path, folder] of foldersOf(listed)) {
      known.set(path, folder);
      const pause = turns();
      if (pause) await pause;
    }
    for (const { path, size, modified } of files) {
      const stamps = known.get(parentOf(path))?.files;
      if (size < 0) stamps?.delete(nameOf(path));
      else stamps?.set(nameOf(path), listedStamp(size, Math.trunc(modified)));
    }
    for (const path of folders) await look(path);
    report();
  };

  const differencesFrom = async (listed: ListedRows) => {
    const found = await differences(root.real, listed, turns);
    const first = listed.folders.length;
    return {
      folders: found.flatMap(({ row }) => listed.folders[row] ?? []),
      files: found.flatMap(({ row, ...entry }) =>
        row < first ? [] : { path: listed.files[row - first]!, ...entry },
      ),
    };
  };

  const listed = since && rowsOf(since());
  if (listed?.hasRoot) {
    // Events that arrive meanwhile are handled once the known state is complete.
    looking = goOnFrom(listed);
    await looking;
    // Full comparison of every file, by all of its attributes.
    await compareAll([...known]);
  } else {
    await look(ROOT);
    // Entries that existed at the start are not changes.
    seen.length = 0;
  }
  announce();

  // Finds changes in folders without a watch, and a root that was removed and created again.
  const recheck = () => {
    if (!known.has(ROOT)) markDirty(ROOT);
    const alone = [...known].filter(([path]) => !watchers.has(path));
    if (alone.length > 0) looking = looking.then(() => compareAll(alone)).catch(() => {});
    looking = looking.then(() => {
      if (!stopped) rechecking = setTimeout(recheck, RECHECK_MS).unref();
    });
  };
  let rechecking = setTimeout(recheck, RECHECK_MS).unref();

  return async () => {
    stopped = true;
    clearTimeout(timer);
    clearTimeout(rechecking);
    for (const path of [...watchers.keys()]) stopWatcher(path);
    known.clear();
    await looking;
  };
}

/** The known state of a listing, as unwatched folders, built lazily. */
function* foldersOf({ folders, marks, files, sizes, times }: ListedRows): Generator<[NotePath, KnownFolder]> {
  const filesIn = rowsByFolder(files);
  const foldersIn = rowsByFolder(folders);
  for (const [at, path] of folders.entries()) {
    const stamps = new Map<string, string>();
    for (const row of filesIn.get(path) ?? [])
      stamps.set(nameOf(files[row]!), listedStamp(sizes[row]!, times[row]!));
    const subfolders = (foldersIn.get(path) ?? []).map((row) => nameOf(folders[row]!));
    yield [path, { mark: marks[at]!, identity: undefined, files: stamps, folders: new Set(subfolders) }];
  }
}

function rowsByFolder(paths: readonly NotePath[]): Map<NotePath, number[]> {
  const groups = new Map<NotePath, number[]>();
  for (const [row, path] of paths.entries()) {
    if (path === ROOT) continue;
    const folder = parentOf(path);
    const group = groups.get(folder);
    if (group) group.push(row);
    else groups.set(folder, [row]);
  }
  return groups;
}

function folderAt(place: string): { mark: number; identity: string | undefined } {
  const entry = lstatQuietly(place);
  if (!entry?.isDirectory()) return { mark: 0, identity: undefined };
  return { mark: entry.mtimeMs, identity: `${entry.ino}:${entry.birthtimeMs}` };
}

function stampOf(entry: Stats): string {
  return `${entry.ino}:${entry.size}:${entry.mtimeMs}:${entry.ctimeMs}`;
}

/** A listing holds fewer attributes of a file than a comparison does. */
function listedStamp(size: number, lastModified: number): string {
  return `listed ${size} ${lastModified}`;
}

function isSame(old: string | undefined, entry: Stats): boolean {
  return old === stampOf(entry) || old === listedStamp(entry.size, Math.trunc(entry.mtimeMs));
}
