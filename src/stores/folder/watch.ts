/**
 * Tells which notes were added, changed or removed, whoever did it. One watch per folder, not per file;
 * an event only says "look again here", and the difference to what was known is the change. Folders whose
 * watch cannot be had (too many, a network mount) are looked at regularly instead.
 */
import { type FSWatcher, lstatSync, watch } from 'node:fs';
import { join } from 'node:path';
import { joinPath, type NotePath, ROOT } from '../../notes/path.ts';
import type { NoteChange } from '../../notes/store.ts';
import { sweep } from './litter.ts';
import { readPlainFolder, turns } from './relist.ts';
import type { Root } from './root.ts';
import { ownFolders, readFolder } from './walk.ts';

const SETTLE_MS = 50;
/** Nobody waits for the first walk, so it takes little at a time. */
const TURN_MS = 2;
const RECHECK_MS = 2_000;

interface KnownFolder {
  watcher: FSWatcher | undefined;
  files: ReadonlyMap<string, string>;
  folders: ReadonlySet<string>;
}

export async function watchFolder(
  root: Root,
  onChange: (changes: readonly NoteChange[]) => void,
  options: { readonly sweeps: boolean },
): Promise<() => Promise<void>> {
  const known = new Map<NotePath, KnownFolder>();
  const dirty = new Set<NotePath>();
  const takeTurns = turns(TURN_MS);
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let stopped = false;

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
    } catch {
      return undefined;
    }
  };

  const forget = (path: NotePath, changes: NoteChange[]) => {
    const folder = known.get(path);
    if (!folder) return;
    known.delete(path);
    folder.watcher?.close();
    for (const name of folder.files.keys()) changes.push({ kind: 'removed', path: joinPath(path, name) });
    for (const name of folder.folders) forget(joinPath(path, name), changes);
  };

  const look = async (path: NotePath, changes: NoteChange[]): Promise<void> => {
    const before = known.get(path) ?? {
      watcher: undefined,
      files: new Map<string, string>(),
      folders: new Set<string>(),
    };
    // The watch comes before the look, so that nothing falls between the two.
    const watcher = before.watcher ?? startWatcher(path);
    const pause = takeTurns();
    if (pause) await pause;
    const content = stopped ? undefined : (readPlainFolder(root, path) ?? (await readFolder(root, path)));
    if (!content) {
      watcher?.close();
      forget(path, changes);
      return;
    }
    if (options.sweeps)
      for (const name of content.litter) await sweep(join(root.real, path), name).catch(() => {});
    const stamps = content.files.map((name) => stampOf(join(root.real, path, name)));
    const files = new Map<string, string>();
    content.files.forEach((name, at) => {
      const stamp = stamps[at];
      if (stamp === undefined) return;
      files.set(name, stamp);
      const old = before.files.get(name);
      if (old !== stamp)
        changes.push({ kind: old === undefined ? 'added' : 'changed', path: joinPath(path, name) });
    });
    for (const name of before.files.keys())
      if (!files.has(name)) changes.push({ kind: 'removed', path: joinPath(path, name) });
    const folders = new Set(ownFolders(content));
    known.set(path, { watcher, files, folders });
    for (const name of before.folders) if (!folders.has(name)) forget(joinPath(path, name), changes);
    for (const name of folders) if (!before.folders.has(name)) await look(joinPath(path, name), changes);
  };

  const lookAgain = async () => {
    const paths = [...dirty].sort();
    dirty.clear();
    const changes: NoteChange[] = [];
    for (const path of paths) if (path === ROOT || known.has(path)) await look(path, changes);
    if (!stopped && changes.length > 0) onChange(changes);
  };

  await look(ROOT, []);
  // Folders without a watch, and a root that was removed and made again, are found here.
  const recheck = setInterval(() => {
    if (!known.has(ROOT)) markDirty(ROOT);
    for (const [path, folder] of known) if (!folder.watcher) markDirty(path);
  }, RECHECK_MS).unref();

  return async () => {
    stopped = true;
    clearTimeout(timer);
    clearInterval(recheck);
    for (const folder of known.values()) folder.watcher?.close();
    known.clear();
    await looking;
  };
}

function stampOf(file: string): string | undefined {
  const entry = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return entry && `${entry.ino}:${entry.size}:${entry.mtimeNs}:${entry.ctimeNs}`;
}
