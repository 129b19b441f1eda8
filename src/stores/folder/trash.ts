/** The `.trash` of a folder, where removed notes go under the path they had. */
import { lstatSync } from 'node:fs';
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import { extensionOf, joinPath, type NotePath, nameOf, parentOf } from '../../notes/path.ts';
import type { TrashBin, TrashedFile } from '../../notes/store.ts';
import { createYielder } from '../../shared/async/time-slices.ts';
import { AppError } from '../../shared/errors.ts';
import { isErrno } from '../../shared/fs/errno.ts';
import { flushFolder } from '../../shared/fs/platform.ts';
import { movedOn } from '../condition.ts';
import { isLitterName, stateAt, TRASH } from './file.ts';
import { onPath } from './read-file.ts';
import { type Root, withFolder, withPlace } from './root.ts';
import { toMeta } from './walk.ts';

const TURN_MS = 8;

export function folderTrash(root: Root): TrashBin {
  const inTrash = <T>(path: NotePath, operation: () => Promise<T>) =>
    onPath(path, async () => {
      if (path.startsWith(`${TRASH}/`)) return operation();
      throw new AppError('not_found', 'Not in the trash', { subject: path });
    });
  return {
    list: (signal) => onPath(TRASH, () => listTrash(root, signal)),
    read: (path) =>
      inTrash(path, () =>
        withPlace(root, path, { hidden: true }, async (place) => {
          const state = await stateAt(place, path);
          if (!state) throw new AppError('not_found', 'Not in the trash', { subject: path });
          return { ...toMeta(path, state.stat), version: state.version, bytes: state.bytes };
        }),
      ),
    purge: (path, size) => inTrash(path, () => purge(root, path, size)),
  };
}

async function listTrash(root: Root, signal?: AbortSignal): Promise<TrashedFile[]> {
  const found: TrashedFile[] = [];
  const names = new Set<string>();
  const turns = createYielder(TURN_MS);
  const enter = async (folder: NotePath): Promise<void> => {
    signal?.throwIfAborted();
    const folders: NotePath[] = [];
    const there = withFolder(root, folder, async (anchor) => {
      const entries = await readdir(anchor.at('.'), { withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && !isLitterName(entry.name));
      for (const entry of entries) if (entry.isDirectory()) folders.push(joinPath(folder, entry.name));
      // Without a promise for each: there may be very many.
      for (const { name } of files) {
        await turns();
        const path = joinPath(folder, name);
        const original = path.slice(TRASH.length + 1) as NotePath;
        const stat = lstatSync(anchor.at(name), { throwIfNoEntry: false });
        if (!stat || !root.isVisible(original, 'file')) continue;
        names.add(original);
        // A move changes this time stamp, and nothing but a move happens to a file in the trash.
        found.push({ ...toMeta(path, stat), original, deletedAt: Math.trunc(stat.ctimeMs) });
      }
    });
    await there.catch((error: unknown) => {
      if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw error;
    });
    for (const below of folders) await enter(below);
  };
  await enter(TRASH);
  return found.map((file) => ({ ...file, original: unnumbered(file.original, names) }));
}

/** `plan 1.md` is a second `plan.md` when the first one is in the trash, too. */
function unnumbered(original: NotePath, names: ReadonlySet<string>): NotePath {
  const extension = extensionOf(original);
  const stem = original.slice(0, original.length - extension.length);
  const [, name] = /^(.+) [1-9]\d{0,4}$/.exec(stem) ?? [];
  const first = `${name}${original.slice(stem.length)}`;
  return name !== undefined && nameOf(first) !== '' && names.has(first) ? (first as NotePath) : original;
}

async function purge(root: Root, path: NotePath, { size, lastModified }: TrashedFile): Promise<void> {
  await withPlace(root, path, { hidden: true }, async (place) => {
    const at = place.folder.at(place.name);
    const stat = await lstat(at);
    if (!stat.isFile() || stat.size !== size || Math.trunc(stat.mtimeMs) !== lastModified)
      throw movedOn(path);
    await unlink(at);
    await flushFolder(place.folder.handle);
  });
  for (let folder = parentOf(path); folder.startsWith(`${TRASH}/`); folder = parentOf(folder)) {
    const isEmpty = await withPlace(root, folder, { hidden: true }, (place) =>
      rmdir(place.folder.at(place.name)).then(
        () => true,
        () => false,
      ),
    );
    if (!isEmpty) return;
  }
}
