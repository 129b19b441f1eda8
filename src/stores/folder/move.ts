/** Renames or moves an entry without ever replacing another, including links and unreadable files. */
import { lstat, readlink, rename, symlink, unlink } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { extensionOf, joinPath, type NotePath, nameOf, parentOf } from '../../notes/path.ts';
import { ifPresent, isErrno } from '../../shared/fs/errno.ts';
import { linkInto } from './file.ts';
import { type Place, type Root, withPlace } from './root.ts';

const TRASH = '.trash';

/** Throws EEXIST when the target exists. Content, mode and time stamps are kept. */
export async function moveEntry(root: Root, from: Place, to: Place): Promise<void> {
  const source = from.folder.at(from.name);
  const target = to.folder.at(to.name);
  const entry = await lstat(source);
  if (entry.isSymbolicLink()) {
    const aim = await readlink(source);
    await symlink(isAbsolute(aim) ? aim : reaim(root, aim, from, to), target);
  } else {
    await linkInto(source, target);
  }
  await ifPresent(unlink(source));
  await to.folder.handle.sync();
  await from.folder.handle.sync();
}

/** Changes the spelling of a name on a file system that treats both spellings as one entry. */
export async function respellEntry(place: Place, name: string): Promise<void> {
  await rename(place.folder.at(place.name), place.folder.at(name));
  await place.folder.handle.sync();
}

/** Moves an entry into the notebook's trash under its path; a number is appended when the name is taken. */
export async function trashEntry(root: Root, place: Place): Promise<NotePath> {
  const path = joinPath(place.folder.path, place.name);
  for (let copy = 0; ; copy++) {
    const name = copy === 0 ? place.name : numbered(place.name, copy);
    const trashed = joinPath(
      joinPath(TRASH as NotePath, parentOf(path)).replace(/\/$/, '') as NotePath,
      name,
    );
    try {
      await withPlace(root, trashed, { create: true, hidden: true }, (target) =>
        moveEntry(root, place, target),
      );
      return trashed;
    } catch (error) {
      if (!isErrno(error, 'EEXIST') || copy > 10_000) throw error;
    }
  }
}

function numbered(name: string, copy: number): string {
  const extension = nameOf(name).slice(nameOf(name).length - extensionOf(name).length);
  return `${name.slice(0, name.length - extension.length)} ${copy}${extension}`;
}

function reaim(root: Root, aim: string, from: Place, to: Place): string {
  const absolute = resolve(root.real, from.folder.path, aim);
  return relative(resolve(root.real, to.folder.path), absolute) || dirname(absolute);
}
