/**
 * Resolves note paths to places on disk. Promise: every result lies inside the root after links are followed, is
 * visible to the notebook, and stays so while it is used. A file or folder is opened first and its real path is read
 * from the descriptor, so a link swapped between check and use changes nothing (TOCTOU).
 */
import { constants, existsSync, readlinkSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { assertPortable, type NotePath, nameOf, parentOf } from '../../notes/path.ts';
import type { MadeFolder } from '../../notes/store.ts';
import { AppError } from '../../shared/errors.ts';
import { ifPresent, isErrno } from '../../shared/fs/errno.ts';
import { flushFolder } from '../../shared/fs/platform.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
export const HAS_PROC = process.platform === 'linux' && existsSync('/proc/self/fd');

export interface Root {
  /** Absolute, without links. */
  readonly real: string;
  readonly isVisible: (path: NotePath, kind: 'file' | 'folder') => boolean;
}

/** An open folder. Names below `at` refer to this folder even if its path is replaced by a link. */
export interface Anchor {
  readonly handle: FileHandle;
  readonly at: (name: string) => string;
  /** Relative to the root, as spelled on disk. */
  readonly path: NotePath;
}

/** An entry: its open folder, and its name there. */
export interface Place extends MadeFolder {
  readonly folder: Anchor;
  readonly name: string;
}

/** Runs `use` with an existing file open for reading, reached over links that stay inside the root. */
export async function withFile<T>(
  root: Root,
  path: NotePath,
  use: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  // With /proc the real path is read from the open file, so it need not be resolved before.
  const real = HAS_PROC ? join(root.real, path) : await realPathOf(root, path);
  const handle = await open(real, O_RDONLY | O_NONBLOCK | (HAS_PROC ? 0 : O_NOFOLLOW)).catch(
    async (error: unknown) => {
      if (isErrno(error, 'ENXIO') || (!HAS_PROC && isErrno(error, 'ELOOP'))) throw outside(path);
      if (!isErrno(error, 'ENOENT')) throw error;
      return open(await realPathOf(root, path), O_RDONLY | O_NONBLOCK);
    },
  );
  try {
    const actual = insidePath(root, await whereIs(handle, real));
    if (actual === undefined || !root.isVisible(actual, 'file')) throw outside(path);
    return await use(handle);
  } finally {
    await handle.close();
  }
}

/** Runs `use` with an existing folder held open. */
export async function withFolder<T>(
  root: Root,
  path: NotePath,
  use: (folder: Anchor) => Promise<T>,
): Promise<T> {
  return holding(await openFolder(root, path, path), use);
}

/**
 * Runs `use` with the place of an entry that may not exist; `create` makes missing folders. The name has the
 * spelling on disk if an entry with an equal spelling exists. With `follow`, a link stands for its target.
 */
export async function withPlace<T>(
  root: Root,
  path: NotePath,
  options: { create?: boolean; follow?: boolean; hidden?: boolean },
  use: (place: Place) => Promise<T>,
): Promise<T> {
  let madeFolder: NotePath | undefined;
  const folder = await openFolder(root, parentOf(path), path).catch(async (error: unknown) => {
    if (!options.create || !isErrno(error, 'ENOENT')) throw error;
    const made = await makeFolders(root, path, { hidden: options.hidden === true });
    madeFolder = made.madeFolder;
    return openAnchor(root, made.real, path);
  });
  return holding(folder, async () => {
    const { name, entry } = await entryIn(folder.at, nameOf(path));
    if (!entry?.isSymbolicLink() || !options.follow) {
      const checked = options.hidden ? name : checkedName(root, folder, name, path);
      return use({ folder, name: checked, madeFolder });
    }
    const target = await realpath(folder.at(name)).catch((error: unknown) => {
      throw isErrno(error, 'ENOENT') ? brokenLink(path) : error;
    });
    return holding(await openAnchor(root, dirname(target), path), (there) =>
      use({ folder: there, name: checkedName(root, there, basename(target), path) }),
    );
  });
}

async function holding<T>(folder: Anchor, use: (folder: Anchor) => Promise<T>): Promise<T> {
  try {
    return await use(folder);
  } finally {
    await folder.handle.close();
  }
}

function checkedName(root: Root, folder: Anchor, name: string, asked: NotePath): string {
  if (!root.isVisible(join(folder.path, name).split(sep).join('/') as NotePath, 'file')) throw outside(asked);
  return name;
}

/** With /proc the real path is read from the open folder, so it need not be resolved before. */
async function openFolder(root: Root, path: NotePath, asked: NotePath): Promise<Anchor> {
  if (HAS_PROC) {
    const folder = await ifPresent(openAnchor(root, join(root.real, path), asked));
    if (folder) return folder;
  }
  return openAnchor(root, await realPathOf(root, path, asked), asked);
}

async function openAnchor(root: Root, real: string, asked: NotePath): Promise<Anchor> {
  const handle = await open(real, O_RDONLY | O_DIRECTORY | (HAS_PROC ? 0 : O_NOFOLLOW)).catch(
    (error: unknown) => {
      throw isErrno(error, 'ELOOP') ? outside(asked) : error;
    },
  );
  try {
    const path = insidePath(root, await whereIs(handle, real));
    if (path === undefined) throw outside(asked);
    const base = HAS_PROC ? `/proc/self/fd/${handle.fd}` : real;
    return { handle, path, at: (name) => join(base, name) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * The real path of an existing entry, checked to lie inside the root; also found under an equivalent Unicode
 * spelling.
 */
async function realPathOf(root: Root, path: NotePath, asked: NotePath = path): Promise<string> {
  let real: string;
  try {
    real = await realpath(join(root.real, path));
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
    const respelled = await respell(root, path);
    if (respelled === undefined) throw error;
    real = await realpath(respelled);
  }
  if (insidePath(root, real) === undefined) throw outside(asked);
  return real;
}

/** All checks come before the first folder is created, so that a refusal leaves none behind. */
async function makeFolders(
  root: Root,
  asked: NotePath,
  options: { hidden: boolean },
): Promise<MadeFolder & { real: string }> {
  const folder = parentOf(asked);
  let real = root.real;
  let madeFolder: NotePath | undefined;
  const segments = folder === '' ? [] : folder.split('/');
  for (const [depth, segment] of segments.entries()) {
    const here = real;
    const { name, entry } = await entryIn((child) => join(here, child), segment);
    const next = join(real, name);
    if (entry === undefined) {
      if (!options.hidden) {
        assertPortable(asked);
        if (!root.isVisible(insidePath(root, next) ?? asked, 'folder')) throw outside(asked);
      }
      await holding(await openAnchor(root, real, asked), async (parent) => {
        await mkdir(parent.at(name)).then(
          () => {
            madeFolder ??= segments.slice(0, depth + 1).join('/') as NotePath;
          },
          (error: unknown) => {
            if (!isErrno(error, 'EEXIST')) throw error;
            // Somebody else made it in between.
            madeFolder = undefined;
          },
        );
        await flushFolder(parent.handle);
      });
      real = next;
    } else {
      real = await realpath(next).catch((error: unknown) => {
        throw isErrno(error, 'ENOENT') ? brokenLink(asked) : error;
      });
      if (insidePath(root, real) === undefined) throw outside(asked);
    }
  }
  return { real, madeFolder };
}

/** The whole path in its spelling on disk; undefined when no equivalent spelling exists. */
async function respell(root: Root, path: NotePath): Promise<string | undefined> {
  let current = root.real;
  for (const segment of path.split('/')) {
    const here = current;
    const { name, entry } = await entryIn((child) => join(here, child), segment);
    if (entry === undefined) return undefined;
    current = join(current, name);
  }
  return current;
}

/** The entry named `segment`, or one whose name differs from it in Unicode form only. */
async function entryIn(
  at: (name: string) => string,
  segment: string,
): Promise<{ name: string; entry: Stats | undefined }> {
  const entry = await ifPresent(lstat(at(segment)));
  if (entry || !/[^\u0000-\u007f]/.test(segment)) return { name: segment, entry };
  const wanted = segment.normalize('NFC');
  const names = (await ifPresent(readdir(at('.')))) ?? [];
  const name = names.find((candidate) => candidate.normalize('NFC') === wanted);
  return name === undefined ? { name: segment, entry } : { name, entry: await ifPresent(lstat(at(name))) };
}

/** The current real path of an open file or folder. Without /proc: `real`, if that is still the same file. */
async function whereIs(handle: FileHandle, real: string): Promise<string> {
  if (HAS_PROC) return readlinkSync(`/proc/self/fd/${handle.fd}`);
  const [opened, named] = await Promise.all([handle.stat(), lstat(real)]);
  const unmoved = opened.ino === named.ino && opened.dev === named.dev && (await realpath(real)) === real;
  return unmoved ? real : '';
}

function insidePath(root: Root, real: string): NotePath | undefined {
  if (real === root.real) return '' as NotePath;
  if (!real.startsWith(root.real.endsWith(sep) ? root.real : root.real + sep)) return undefined;
  return relative(root.real, real).split(sep).join('/') as NotePath;
}

function outside(path: NotePath): AppError {
  return denied(path, 'It points outside the notebook, or to a hidden file or folder.');
}

export function brokenLink(path: NotePath): AppError {
  return denied(path, 'It is a link whose target does not exist.');
}

function denied(subject: NotePath, hint: string): AppError {
  return new AppError('forbidden', 'Access denied', { subject, hint });
}
