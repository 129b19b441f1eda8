/** Reads, replaces and moves whole files, and detects changes in between. */
import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, link, lstat, open, readlink, symlink, unlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { extensionOf, joinPath, type NotePath, pathKey } from '../../notes/path.ts';
import { AppError } from '../../shared/errors.ts';
import { ifPresent, isErrno } from '../../shared/fs/errno.ts';
import { isAbandoned, processTag } from '../../shared/fs/file-holder.ts';
import { type LockedSection, readLock, withLock } from '../../shared/fs/lock-file.ts';
import { flushFolder, renameEntry } from '../../shared/fs/platform.ts';
import { withNewFile } from '../../shared/fs/replace-file.ts';
import { versionOf } from '../condition.ts';
import { type Place, type Root, withPlace } from './root.ts';

/** The lock file of a note: equal for all spellings of its name, in every process. */
function lockName(name: string): string {
  return `.quire-${createHash('sha256').update(pathKey(name)).digest('hex').slice(0, 16)}.lock`;
}

function temporaryName(): string {
  return `.quire-${processTag()}-${process.hrtime.bigint()}.tmp`;
}

export function isLitterName(name: string): boolean {
  return /^\.quire-.+\.(tmp|lock)$/.test(name);
}

/** Removes a lock or temporary file if the process that created it is gone. */
export async function sweep(folder: string, name: string): Promise<void> {
  const file = join(folder, name);
  const entry = await ifPresent(lstat(file));
  if (!entry) return;
  const holder = name.endsWith('.lock') ? readLock(file) : /^\.quire-(.+)-\d+\.tmp$/.exec(name)?.[1];
  if (isAbandoned(holder ?? '', Date.now() - entry.mtimeMs)) await ifPresent(unlink(file));
}

const LOCK_WAIT_MS = 10_000;

/**
 * One writer per note among all Quire processes. Other editors ignore the lock; their changes are found by the last
 * check before the rename.
 */
export function withNoteLock<T>(
  { folder, name }: Place,
  work: (section: LockedSection) => Promise<T>,
): Promise<T> {
  const busy = () =>
    new AppError('conflict', 'Note is being written by another process', {
      subject: name,
      hint: 'Nothing was changed. Try again in a moment.',
    });
  return withLock(folder.at(lockName(name)), { waitMs: LOCK_WAIT_MS, busy }, work);
}

/** Larger files are refused, because notes are held in memory. */
export const MAX_NOTE_BYTES = 64 * 1024 * 1024;

/** Time stamps closer to the present than this may not have ticked yet between two changes. */
const CLOCK_TICK_MS = 30;

interface FileState {
  readonly stat: BigIntStats;
  readonly bytes: Uint8Array;
  readonly version: string;
  /** Time of the read, in milliseconds since 1970. */
  readonly at: number;
}

export async function readState(handle: FileHandle, path: string): Promise<FileState> {
  const at = Date.now();
  const stat = await handle.stat({ bigint: true });
  if (stat.isDirectory()) {
    throw new AppError('invalid_input', 'Not a note', {
      subject: path,
      hint: 'It is a folder. list_directory shows what is in it.',
    });
  }
  if (!stat.isFile())
    throw new AppError('forbidden', 'Access denied', { subject: path, hint: 'It is not an ordinary file.' });
  if (stat.size > MAX_NOTE_BYTES) {
    throw new AppError('unsupported', 'File too large', {
      subject: path,
      reason: 'too_large',
      hint: `It holds ${Math.round(Number(stat.size) / 1048576)} MB; the limit is ${MAX_NOTE_BYTES / 1048576} MB.`,
    });
  }
  const bytes = await readWhole(handle, Number(stat.size));
  return { stat, bytes, version: versionOf(bytes), at };
}

/** One read call if the file keeps its size; a file that grows meanwhile is read to its end. */
async function readWhole(handle: FileHandle, size: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === size) break;
    if (length === buffer.length) return Buffer.concat([buffer, await handle.readFile()]);
  }
  return buffer.subarray(0, length);
}

/** The file's state; undefined when it does not exist. Does not follow a link. */
export async function stateAt({ folder, name }: Place, path: string): Promise<FileState | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await ifPresent(open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (!handle) return undefined;
  try {
    return await readState(handle, path);
  } finally {
    await handle.close();
  }
}

/** Whether the file still is as in `state`; called right before it is replaced. */
export async function isUnchanged(
  place: Place,
  path: string,
  state: FileState | undefined,
): Promise<boolean> {
  const now = await ifPresent(lstat(place.folder.at(place.name), { bigint: true }));
  if (!now || !state) return now === undefined && state === undefined;
  const { stat } = state;
  const sameStamp =
    now.ino === stat.ino &&
    now.dev === stat.dev &&
    now.size === stat.size &&
    now.mtimeNs === stat.mtimeNs &&
    now.ctimeNs === stat.ctimeNs;
  if (!sameStamp) return false;
  const couldHaveChangedWithinTick = state.at - Number(stat.ctimeMs) < CLOCK_TICK_MS;
  return !couldHaveChangedWithinTick || (await stateAt(place, path))?.version === state.version;
}

/**
 * Replaces the file atomically: a temporary file beside it is flushed, then renamed over it, or linked to the name where
 * no file may exist. Keeps the mode and, where allowed, the owner of the old file.
 */
export async function replaceFile(
  place: Place,
  bytes: Uint8Array,
  { previous, mode: newMode }: { readonly previous?: FileState; readonly mode?: number },
  lastCheck: () => Promise<void>,
): Promise<BigIntStats> {
  const { folder, name } = place;
  const temporary = folder.at(temporaryName());
  const mode = previous ? Number(previous.stat.mode) & 0o7777 : (newMode ?? 0o666);
  return withNewFile(temporary, bytes, mode, async (handle) => {
    if (previous) await keepModeAndOwner(handle, previous.stat, mode);
    else if (newMode !== undefined) await handle.chmod(newMode);
    await handle.datasync();
    await lastCheck();
    if (previous) await renameEntry(temporary, folder.at(name));
    else {
      await linkInto(temporary, folder.at(name));
      await unlink(temporary).catch(() => {});
    }
    const stat = await handle.stat({ bigint: true });
    await flushFolder(folder.handle);
    return stat;
  });
}

/** EISDIR is what Windows answers on a FAT drive. */
const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EISDIR'];

/** Creates a hard link; EEXIST if `to` exists. */
async function linkInto(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!isErrno(error, ...NO_HARD_LINKS)) throw error;
    // Without hard links: check, then rename. Only a file that another program creates in between could be lost.
    if (await ifPresent(lstat(to))) throw Object.assign(new Error('exists'), { code: 'EEXIST' });
    await renameEntry(from, to);
  }
}

async function keepModeAndOwner(handle: FileHandle, old: BigIntStats, mode: number): Promise<void> {
  const fresh = await handle.stat();
  if ((fresh.mode & 0o7777) !== mode) await handle.chmod(mode);
  if (fresh.uid !== Number(old.uid) || fresh.gid !== Number(old.gid)) {
    await handle.chown(Number(old.uid), Number(old.gid)).catch(() => {});
    if ((mode & 0o6000) !== 0) await handle.chmod(mode);
  }
}

export const TRASH = '.trash' as NotePath;

/** Moves any entry, also a link or an unreadable file. Throws EEXIST when the target exists. Keeps mode and time stamps. */
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
  await flushFolder(to.folder.handle);
  await flushFolder(from.folder.handle);
}

/** Changes the spelling of a name on a file system that treats both spellings as one entry. */
export async function respellEntry(place: Place, name: string): Promise<void> {
  await renameEntry(place.folder.at(place.name), place.folder.at(name));
  await flushFolder(place.folder.handle);
}

/** Moves an entry into the notebook's trash under its path; a number is appended when the name is taken. */
export async function trashEntry(root: Root, place: Place): Promise<NotePath> {
  const folder = place.folder.path;
  for (let copy = 0; ; copy++) {
    const name = copy === 0 ? place.name : numbered(place.name, copy);
    const trashed = joinPath(TRASH, joinPath(folder, name));
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
  const dot = name.length - extensionOf(name).length;
  return `${name.slice(0, dot)} ${copy}${name.slice(dot)}`;
}

function reaim(root: Root, aim: string, from: Place, to: Place): string {
  const absolute = resolve(root.real, from.folder.path, aim);
  return relative(resolve(root.real, to.folder.path), absolute) || dirname(absolute);
}
