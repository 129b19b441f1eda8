/** Files that an operator names: read whole up to a size limit, replaced atomically. */

import type { Stats } from 'node:fs';
import { statSync } from 'node:fs';
import { lstat, open, readdir, readFile, realpath, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { ifPresent, isErrno } from '../shared/fs/errno.ts';
import { makeFolders } from '../shared/fs/make-folders.ts';
import { hasFileModes } from '../shared/fs/platform.ts';
import { replaceFile } from '../shared/fs/replace-file.ts';

const USUAL_MODE = 0o644;

/** Throws when the path is missing, no file, or too large. `what` is for the message: "the key file". */
export async function readNamedFile(path: string, maxBytes: number, what: string): Promise<Buffer> {
  try {
    const facts = await stat(path);
    if (!facts.isFile()) throw new Error('it is no file');
    if (facts.size > maxBytes) throw new Error(`it has ${facts.size} bytes; the limit is ${maxBytes}`);
    return await readFile(path);
  } catch (cause) {
    throw new AppError('invalid_input', `Cannot read ${what}`, {
      subject: path,
      hint: reasonOf(cause, { ENOENT: 'It is not there. Check the path.' }),
      cause,
    });
  }
}

/** Undefined for a missing file. A symbolic link is not followed: it may lead out of the folder. */
export async function readOwnFile(path: string, maxBytes: number): Promise<string | undefined> {
  const facts = await ifPresent(lstat(path));
  if (facts === undefined) return undefined;
  if (!facts.isFile() || facts.size > maxBytes)
    throw new AppError('conflict', 'There is something else in its place', {
      subject: path,
      hint: 'Move it away, or choose another folder with --dest.',
    });
  return readFile(path, 'utf8');
}

/** Replaces the file atomically; `before` is its present text, undefined for a missing file. */
export async function writeOwnFile(path: string, text: string, before: string | undefined): Promise<void> {
  try {
    await makeFolders(dirname(path));
    const lastCheck = async () => {
      if ((await readOwnFile(path, Number.POSITIVE_INFINITY)) === before) return;
      throw new AppError('conflict', 'The file was changed meanwhile', {
        subject: path,
        hint: 'Nothing was written. Try again.',
      });
    };
    await replaceFile(path, text, { mode: USUAL_MODE, lastCheck });
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('invalid_input', 'Cannot write the file', {
      subject: path,
      hint: reasonOf(cause, { EACCES: 'You may not write there. Choose another folder.' }),
      cause,
    });
  }
}

/** For its owner alone. False when there is a file already, which stays as it is. */
export async function createOwnFile(path: string, content: string): Promise<boolean> {
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    if (isErrno(cause, 'EEXIST')) return undefined;
    throw cause;
  });
  if (!file) return false;
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  return true;
}

/** With all links followed; also for a path of which the end does not exist yet. */
export async function realPathOf(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) return join(real, relative(at, path));
    if (dirname(at) === at) return path;
  }
}

/** Milliseconds since 1970, by the clock of the disk; undefined when the file does not exist. */
export async function modifiedAt(path: string): Promise<number | undefined> {
  return (await ifPresent(stat(path)))?.mtimeMs;
}

/** Mode and owner of a folder or file; undefined when it does not exist. */
export async function modeOf(path: string): Promise<{ mode: number; uid: number } | undefined> {
  const facts = await ifPresent(stat(path));
  return facts && { mode: facts.mode & 0o777, uid: facts.uid };
}

const OTHERS_MAY_WRITE = 0o002;
const STICKY = 0o1000;

/**
 * The first place by which every user of this machine could replace a file: the file itself or a folder on the way to
 * it, by the path as written and with links resolved. A sticky folder like /tmp protects the files of other users.
 */
export async function openToOthers(path: string): Promise<string | undefined> {
  if (!hasFileModes()) return undefined;
  const real = await realpath(path).catch(() => path);
  for (const place of new Set([...waysTo(path), ...waysTo(real)])) {
    const { mode, isFolder } = (await ifPresent(stat(place).then(factsOf))) ?? { mode: 0, isFolder: false };
    const isOpen = (mode & OTHERS_MAY_WRITE) !== 0 && !(isFolder && (mode & STICKY) !== 0);
    if (isOpen) return place;
  }
  return undefined;
}

const GROUP_MAY_WRITE = 0o020;
const ROOT = 0;

export interface SharedPlace {
  readonly path: string;
  readonly by: 'owner' | 'group';
}

/** The first of a file and its folder that one other user, or a group, could change; undefined when only you and root can. */
export async function sharedPlaceOf(path: string): Promise<SharedPlace | undefined> {
  const { getuid, getgid } = process;
  if (!hasFileModes() || !getuid || !getgid) return undefined;
  const real = await realpath(path).catch(() => path);
  for (const place of [real, dirname(real)]) {
    const facts = await ifPresent(stat(place));
    if (!facts) continue;
    if (![ROOT, getuid()].includes(facts.uid)) return { path: place, by: 'owner' };
    const isShared = (facts.mode & GROUP_MAY_WRITE) !== 0 && ![ROOT, getgid()].includes(facts.gid);
    if (isShared) return { path: place, by: 'group' };
  }
  return undefined;
}

function factsOf(found: Stats): { mode: number; isFolder: boolean } {
  return { mode: found.mode, isFolder: found.isDirectory() };
}

function waysTo(path: string): string[] {
  const ways = [path];
  for (let at = path; dirname(at) !== at; ) {
    at = dirname(at);
    ways.push(at);
  }
  return ways;
}

function reasonOf(cause: unknown, known: Readonly<Record<string, string>>): string {
  const found = Object.entries(known).find(([code]) => isErrno(cause, code));
  return found?.[1] ?? `${cause instanceof Error ? cause.message : 'unknown reason'}.`;
}

export function isReadableFolder(path: string): Promise<boolean> {
  return readdir(path).then(
    () => true,
    () => false,
  );
}

/** Empty for a missing folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await ifPresent(readdir(folder))) ?? [];
}

/** Files that are missing already are no error. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await ifPresent(unlink(path));
}

/** A file, or a folder with all that is in it; a link, not what it leads to. */
export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

/** In bytes; undefined when the file does not exist. */
export async function sizeOf(path: string): Promise<number | undefined> {
  return (await ifPresent(stat(path)))?.size;
}

/** The bytes of a file from one place to another. */
export async function readPart(file: string, from: number, until: number): Promise<Buffer> {
  if (until <= from) return Buffer.alloc(0);
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(until - from), 0, until - from, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Changes when another file is put in its place; undefined where there is none. Does not wait. */
export function stampOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.ino} ${found.size} ${found.ctimeNs} ${found.mtimeNs}`;
}
