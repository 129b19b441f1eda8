/**
 * Reads a small file in one go. Five short synchronous calls take a tenth of the time of five asynchronous
 * ones, and indexing a notebook is little else; a file of this size is read before a turn is over.
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

/** Undefined whenever anything is out of the ordinary: then the careful way decides and explains. */
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
    // Where the open file really is: exactly where it was asked for, so no link was followed on the way.
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
      // Most who read do not ask for it, and it takes as long as the reading.
      get version() {
        version ??= versionOf(bytes);
        return version;
      },
    };
  } finally {
    closeSync(file);
  }
}

/** Looks at an entry. Whatever is wrong on the way there, there is nothing to be had: then undefined. */

const QUIETLY = { throwIfNoEntry: false } as const;

export function statQuietly(place: string): Stats | undefined {
  try {
    return statSync(place, QUIETLY);
  } catch {
    return undefined;
  }
}

/** The same of a link itself. */
export function lstatQuietly(place: string): Stats | undefined {
  try {
    return lstatSync(place, QUIETLY);
  } catch {
    return undefined;
  }
}

/** Turns what the file system says into our errors. The host's absolute paths stay behind in `cause`. */

/** Runs one file operation on `path`, as the caller named it, and translates its failures. */
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
