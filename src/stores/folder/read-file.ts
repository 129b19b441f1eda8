/**
 * Reads a small file synchronously. Five short synchronous calls take a tenth of the time of five asynchronous ones,
 * which dominates indexing; a file of this size is read within a time slice.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { sep } from 'node:path';
import type { NotePath } from '../../notes/path.ts';
import type { Note } from '../../notes/store.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { versionOf } from './file.ts';
import { HAS_PROC, type Root } from './root.ts';
import { toMeta } from './walk.ts';

const LARGEST = 256 * 1024;

/** Undefined for anything unusual; the caller then uses the asynchronous path, which reports errors. */
export function readSmallNote(root: Root, path: NotePath): Note | undefined {
  if (!HAS_PROC) return undefined;
  const place = root.real + sep + path;
  let file: number;
  try {
    file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    // The open file's real path must equal the requested one, so no link was followed.
    if (readlinkSync(`/proc/self/fd/${file}`) !== place || !root.isVisible(path, 'file')) return undefined;
    const entry = fstatSync(file);
    if (!entry.isFile() || entry.size > LARGEST) return undefined;
    const buffer = Buffer.allocUnsafe(entry.size + 1);
    const length = readSync(file, buffer, 0, buffer.length, 0);
    if (length !== entry.size) return undefined;
    const bytes = buffer.subarray(0, length);
    let version: string | undefined;
    return {
      ...toMeta(path, entry),
      bytes,
      // Computed on demand: the hash takes as long as the read, and most readers do not need it.
      get version() {
        version ??= versionOf(bytes);
        return version;
      },
    };
  } finally {
    closeSync(file);
  }
}

const QUIETLY = { throwIfNoEntry: false } as const;

/** `stat` that returns undefined on any error. */
export function statQuietly(place: string): Stats | undefined {
  try {
    return statSync(place, QUIETLY);
  } catch {
    return undefined;
  }
}

/** `lstat` that returns undefined on any error. */
export function lstatQuietly(place: string): Stats | undefined {
  try {
    return lstatSync(place, QUIETLY);
  } catch {
    return undefined;
  }
}

/**
 * Runs a file operation on `path`, in the caller's spelling, and translates its errors to `AppError`. Absolute paths of
 * the host stay in `cause`.
 */
export async function onPath<T>(path: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw isAppError(error) ? error : fromFileSystem(error, path);
  }
}

function fromFileSystem(cause: unknown, subject: string): unknown {
  if (!(cause instanceof Error) || !('code' in cause)) return cause;
  switch (cause.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new AppError('not_found', 'File not found', { subject, cause });
    case 'EACCES':
    case 'EPERM':
      return new AppError('forbidden', 'Permission denied', {
        subject,
        hint: 'The file system refuses it to the user this server runs as.',
        cause,
      });
    case 'EROFS':
      return new AppError('read_only', 'Read-only file system', { subject, cause });
    case 'ELOOP':
      return new AppError('forbidden', 'Access denied', {
        subject,
        hint: 'It is a link that leads in a circle.',
        cause,
      });
    case 'EISDIR':
      return new AppError('invalid_input', 'Not a note', { subject, hint: 'It is a folder.', cause });
    case 'ENAMETOOLONG':
      return new AppError('invalid_input', 'Path too long', { subject, cause });
    case 'ENOSPC':
    case 'EDQUOT':
      return new AppError('internal', 'No space left', {
        subject,
        hint: 'Nothing was changed. Free some space and try again.',
        cause,
      });
    case 'EMFILE':
    case 'ENFILE':
      return new AppError('internal', 'Too many open files', {
        subject,
        hint: 'Try again in a moment.',
        cause,
      });
    default:
      return new AppError('internal', `File system error ${String(cause.code)}`, {
        subject,
        hint: 'Nothing was changed.',
        cause,
      });
  }
}
