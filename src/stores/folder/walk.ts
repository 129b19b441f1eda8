/**
 * Visible entries of one folder. Linked folders are shown but not entered: their files are listed at their real
 * place.
 */
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { joinPath, type NotePath } from '../../notes/path.ts';
import type { NoteMeta } from '../../notes/store.ts';
import { isAppError } from '../../shared/errors.ts';
import { ifPresent, isErrno } from '../../shared/fs/errno.ts';
import { contentTypeOf } from '../content-type.ts';
import { isLitterName } from './file.ts';
import { type Anchor, type Root, withFolder } from './root.ts';

export interface FolderContent {
  readonly path: NotePath;
  readonly folders: readonly string[];
  /** Folders that are links. */
  readonly linked: readonly string[];
  readonly files: readonly string[];
  readonly litter: readonly string[];
}

/** The visible entries of a folder by name, sorted. Undefined when the folder is gone or cannot be read. */
export async function readFolder(root: Root, path: NotePath): Promise<FolderContent | undefined> {
  try {
    return { ...(await withFolder(root, path, (folder) => entriesOf(root, folder))), path };
  } catch (error) {
    if (isAppError(error, 'forbidden') || isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'))
      return undefined;
    throw error;
  }
}

/** The visible entries of an open folder. */
export async function entriesOf(root: Root, folder: Anchor): Promise<FolderContent> {
  const { path } = folder;
  const entries = await readdir(folder.at('.'), { withFileTypes: true });
  const folders: string[] = [];
  const linked: string[] = [];
  const files: string[] = [];
  const litter: string[] = [];
  for (const entry of entries) {
    const kind = entry.isSymbolicLink() ? await kindBehindLink(root, folder, entry) : kindOf(entry);
    if (isLitterName(entry.name)) litter.push(entry.name);
    else if (kind && root.isVisible(joinPath(path, entry.name), kind)) {
      (kind === 'file' ? files : folders).push(entry.name);
      if (kind === 'folder' && entry.isSymbolicLink()) linked.push(entry.name);
    }
  }
  return { path, folders: folders.sort(), linked, files: files.sort(), litter };
}

/** Folders to descend into. */
export function ownFolders({ folders, linked }: FolderContent): readonly string[] {
  return linked.length === 0 ? folders : folders.filter((name) => !linked.includes(name));
}

export function toMeta(path: NotePath, entry: { size: number | bigint; mtimeMs: number | bigint }): NoteMeta {
  return {
    path,
    size: Number(entry.size),
    lastModified: Math.trunc(Number(entry.mtimeMs)),
    contentType: contentTypeOf(path),
  };
}

function kindOf(entry: Dirent): 'file' | 'folder' | undefined {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'folder' : undefined;
}

async function kindBehindLink(
  root: Root,
  folder: Anchor,
  entry: Dirent,
): Promise<'file' | 'folder' | undefined> {
  const real = await realpath(folder.at(entry.name)).catch(() => undefined);
  if (!real?.startsWith(root.real + sep)) return undefined;
  const target = await ifPresent(stat(real));
  const kind = target?.isFile() ? 'file' : target?.isDirectory() ? 'folder' : undefined;
  return kind && root.isVisible(relative(root.real, real).split(sep).join('/') as NotePath, kind)
    ? kind
    : undefined;
}
