/**
 * Lists again, knowing what was there before: known files are asked for their size and time, and only folders
 * whose own time stamp moved are read. Small synchronous calls in short turns are several times faster here
 * than as many asynchronous ones, and nothing waits longer than a turn.
 */
import { closeSync, constants, lstatSync, openSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { joinPath, type NotePath, parentOf, ROOT } from '../../notes/path.ts';
import type { Listing, NoteMeta } from '../../notes/store.ts';
import { isLitterName } from './litter.ts';
import { HAS_PROC, type Root } from './root.ts';
import { type FolderContent, ownFolders, readFolder, toMeta } from './walk.ts';

const TURN_MS = 8;
/** A folder that changed this recently may change again without its time stamp moving. */
const UNSETTLED_MS = 100;

export async function relist(root: Root, before: Listing, signal?: AbortSignal): Promise<Listing> {
  const files: NoteMeta[] = [];
  const marks: Record<string, number> = {};
  const known = groupByFolder(before.files);
  const takeTurns = turns(TURN_MS);
  const now = Date.now();

  const add = (path: NotePath) => {
    const entry = statSync(`${root.real}/${path}`, { throwIfNoEntry: false });
    if (entry?.isFile()) files.push(toMeta(path, entry));
  };
  /** Remembers the folder's time stamp and says whether it is the one it had. */
  const isUnchanged = (path: NotePath): boolean | undefined => {
    const entry = lstatSync(`${root.real}/${path}`, { throwIfNoEntry: false });
    if (!entry?.isDirectory()) return undefined;
    marks[path] = now - entry.mtimeMs < UNSETTLED_MS ? 0 : entry.mtimeMs;
    return before.marks[path] === entry.mtimeMs;
  };
  const read = async (path: NotePath): Promise<void> => {
    const content = readPlainFolder(root, path) ?? (await readFolder(root, path));
    if (!content) return;
    for (const name of content.files) add(joinPath(path, name));
    for (const name of ownFolders(content)) {
      const child = joinPath(path, name);
      if (child in before.marks) continue;
      const pause = takeTurns();
      if (pause) await pause;
      signal?.throwIfAborted();
      if (isUnchanged(child) !== undefined) await read(child);
    }
  };

  for (const path of [...Object.keys(before.marks), ...(ROOT in before.marks ? [] : [ROOT])] as NotePath[]) {
    const pause = takeTurns();
    if (pause) await pause;
    const unchanged = isUnchanged(path);
    if (unchanged) for (const file of known.get(path) ?? []) add(file);
    else if (unchanged === false) await read(path);
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), marks };
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

function groupByFolder(files: readonly NoteMeta[]): Map<NotePath, NotePath[]> {
  const groups = new Map<NotePath, NotePath[]>();
  for (const { path } of files) {
    const folder = parentOf(path);
    const group = groups.get(folder);
    if (group) group.push(path);
    else groups.set(folder, [path]);
  }
  return groups;
}

/** Undefined within a turn, else a promise for the next one. */
export function turns(milliseconds: number): () => Promise<void> | undefined {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < milliseconds) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        begun = performance.now();
        resolve();
      });
    });
  };
}
