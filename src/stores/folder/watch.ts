/**
 * Tells which notes were added, changed or removed, whoever did it. One watch per folder, not per file;
 * an event only says "look again here", and the difference to what was known is the change. Folders whose
 * watch cannot be had (too many, a network mount) are compared regularly instead.
 */
import { type FSWatcher, type Stats, watch } from 'node:fs';
import { join } from 'node:path';
import { joinPath, type NotePath, nameOf, parentOf, ROOT } from '../../notes/path.ts';
import type { Listing, NoteChange } from '../../notes/store.ts';
import type { Log } from '../../shared/log.ts';
import { type Turns, turnsOf } from '../../shared/turns.ts';
import { sweep } from './litter.ts';
import { groupByFolder, readPlainFolder } from './relist.ts';
import type { Root } from './root.ts';
import { lstatQuietly } from './stat-quietly.ts';
import { ownFolders, readFolder } from './walk.ts';

const SETTLE_MS = 50;
/** Nobody waits for the first walk, so it takes little at a time. */
const TURN_MS = 2;
const RECHECK_MS = 2_000;

interface KnownFolder {
  watcher: FSWatcher | undefined;
  /** Its own time stamp, which moves when an entry comes, goes or is renamed. */
  mark: number;
  /** Which folder it is: another one may come to stand in its place. Unknown until it is first looked at. */
  identity: string | undefined;
  /** What each file looked like. */
  files: ReadonlyMap<string, string>;
  folders: Set<string>;
}

export interface WatchOptions {
  readonly since?: Listing;
  readonly turns?: Turns;
  readonly log?: Log;
  /** Whether what dead processes left behind may be removed. */
  readonly sweeps: boolean;
}

export async function watchFolder(
  root: Root,
  onChange: (changes: readonly NoteChange[]) => void,
  { since, turns = turnsOf(TURN_MS), log, sweeps }: WatchOptions,
): Promise<() => Promise<void>> {
  const known = new Map<NotePath, KnownFolder>();
  const dirty = new Set<NotePath>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let stopped = false;
  let unwatched = 0;

  const report = (changes: readonly NoteChange[]) => {
    if (!stopped && changes.length > 0) onChange(changes);
  };

  const markDirty = (path: NotePath) => {
    dirty.add(path);
    timer ??= setTimeout(() => {
      timer = undefined;
      looking = looking.then(lookAgain).catch(() => {});
    }, SETTLE_MS).unref();
  };

  const startWatcher = (path: NotePath): FSWatcher | undefined => {
    try {
      const watcher = watch(join(root.real, path), { persistent: false }, () => markDirty(path));
      watcher.on('error', () => {
        const folder = known.get(path);
        if (folder) folder.watcher = undefined;
        watcher.close();
      });
      return watcher;
    } catch (error) {
      if (unwatched++ === 0)
        log?.('warn', 'some folders cannot be watched; they are compared every few seconds instead', {
          error: String(error),
        });
      return undefined;
    }
  };

  /** The one it has, unless that belongs to a folder that stood here before. */
  const watcherFor = (path: NotePath, before: KnownFolder | undefined): FSWatcher | undefined => {
    if (!before?.watcher) return startWatcher(path);
    const isSameFolder =
      before.identity === undefined || before.identity === folderAt(join(root.real, path)).identity;
    if (isSameFolder) return before.watcher;
    before.watcher.close();
    return startWatcher(path);
  };

  const forget = (path: NotePath, changes: NoteChange[]) => {
    const folder = known.get(path);
    if (!folder) return;
    known.delete(path);
    folder.watcher?.close();
    for (const name of folder.files.keys()) changes.push({ kind: 'removed', path: joinPath(path, name) });
    for (const name of folder.folders) forget(joinPath(path, name), changes);
  };

  /** Reads the folder and tells what differs from what was known. */
  const look = async (path: NotePath, changes: NoteChange[]): Promise<void> => {
    const before = known.get(path);
    const pause = turns();
    if (pause) await pause;
    // The watch comes before the look, so that nothing falls between the two.
    const watcher = watcherFor(path, before);
    const { mark, identity } = folderAt(join(root.real, path));
    const content = stopped ? undefined : (readPlainFolder(root, path) ?? (await readFolder(root, path)));
    if (!content) {
      watcher?.close();
      forget(path, changes);
      return;
    }
    if (sweeps) for (const name of content.litter) await sweep(join(root.real, path), name).catch(() => {});
    const files = new Map<string, string>();
    for (const name of content.files) {
      const entry = lstatQuietly(join(root.real, path, name));
      if (!entry) continue;
      files.set(name, stampOf(entry));
      const old = before?.files.get(name);
      if (!isSame(old, entry))
        changes.push({ kind: old === undefined ? 'added' : 'changed', path: joinPath(path, name) });
    }
    for (const name of before?.files.keys() ?? [])
      if (!files.has(name)) changes.push({ kind: 'removed', path: joinPath(path, name) });
    const folders = new Set(ownFolders(content));
    known.set(path, { watcher, mark, identity, files, folders });
    for (const name of before?.folders ?? []) if (!folders.has(name)) forget(joinPath(path, name), changes);
    for (const name of folders)
      if (!known.has(joinPath(path, name))) await look(joinPath(path, name), changes);
  };

  /** The same for a folder that has most likely not changed: it is only read when its own time stamp moved. */
  const compare = async (path: NotePath, folder: KnownFolder, changes: NoteChange[]): Promise<void> => {
    const pause = turns();
    if (pause) await pause;
    if (stopped || known.get(path) !== folder) return;
    const { mark, identity } = folderAt(join(root.real, path));
    folder.identity ??= identity;
    if (mark !== folder.mark || identity !== folder.identity) return look(path, changes);
    const files = new Map<string, string>();
    for (const [name, old] of folder.files) {
      const entry = lstatQuietly(join(root.real, path, name));
      if (!entry) return look(path, changes);
      files.set(name, stampOf(entry));
      if (!isSame(old, entry)) changes.push({ kind: 'changed', path: joinPath(path, name) });
    }
    folder.files = files;
  };

  const lookAgain = async () => {
    const paths = [...dirty].sort();
    dirty.clear();
    const changes: NoteChange[] = [];
    for (const path of paths) if (path === ROOT || known.has(path)) await look(path, changes);
    report(changes);
  };

  const compareAll = async (folders: readonly (readonly [NotePath, KnownFolder])[]) => {
    for (const [path, folder] of folders) {
      const changes: NoteChange[] = [];
      await compare(path, folder, changes);
      report(changes);
    }
  };

  const goOnFrom = async (listing: Listing) => {
    await turns();
    for (const [path, folder] of foldersOf(listing)) {
      known.set(path, folder);
      const pause = turns();
      if (pause) await pause;
    }
    for (const [path, folder] of [...known]) {
      if (stopped) return;
      folder.watcher ??= startWatcher(path);
      await compareAll([[path, folder]]);
    }
  };

  if (since?.marks.has(ROOT)) await goOnFrom(since);
  else await look(ROOT, []);

  // Folders without a watch, and a root that was removed and made again, are found here.
  const recheck = () => {
    if (!known.has(ROOT)) markDirty(ROOT);
    const alone = [...known].filter(([, folder]) => !folder.watcher);
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
    for (const folder of known.values()) folder.watcher?.close();
    known.clear();
    await looking;
  };
}

/** What a listing knows, as folders that nobody watches yet; made one by one. */
function* foldersOf({ files, marks }: Listing): Generator<[NotePath, KnownFolder]> {
  const filesIn = groupByFolder(files);
  const foldersIn = new Map<NotePath, Set<string>>();
  for (const path of marks.keys() as Iterable<NotePath>) {
    if (path === ROOT) continue;
    const parent = parentOf(path);
    const siblings = foldersIn.get(parent);
    if (siblings) siblings.add(nameOf(path));
    else foldersIn.set(parent, new Set([nameOf(path)]));
  }
  for (const [path, mark] of marks as ReadonlyMap<NotePath, number>) {
    const stamps = new Map<string, string>();
    for (const meta of filesIn.get(path) ?? [])
      stamps.set(nameOf(meta.path), listedStamp(meta.size, meta.lastModified));
    yield [
      path,
      {
        watcher: undefined,
        mark,
        identity: undefined,
        files: stamps,
        folders: foldersIn.get(path) ?? new Set(),
      },
    ];
  }
}

function folderAt(place: string): { mark: number; identity: string | undefined } {
  const entry = lstatQuietly(place);
  if (!entry?.isDirectory()) return { mark: 0, identity: undefined };
  return { mark: entry.mtimeMs, identity: `${entry.ino}:${entry.birthtimeMs}` };
}

function stampOf(entry: Stats): string {
  return `${entry.ino}:${entry.size}:${entry.mtimeMs}:${entry.ctimeMs}`;
}

/** A listing knows less of a file than a look at it. */
function listedStamp(size: number, lastModified: number): string {
  return `listed ${size} ${lastModified}`;
}

function isSame(old: string | undefined, entry: Stats): boolean {
  return old === stampOf(entry) || old === listedStamp(entry.size, Math.trunc(entry.mtimeMs));
}
