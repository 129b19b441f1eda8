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
import type { Note, NoteMeta } from '../../notes/store.ts';
import { AppError, type ErrorCode, isAppError } from '../../shared/errors.ts';
import { versionOf } from '../condition.ts';
import { HAS_PROC, type Root } from './root.ts';
import { toMeta } from './walk.ts';

const LARGEST = 256 * 1024;
/** Most notes are smaller. */
const MOST_NOTES = 64 * 1024;
const NO_LINK = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Undefined for anything unusual; the caller then uses the asynchronous path, which reports errors. */
export function readSmallNote(root: Root, path: NotePath): Note | undefined {
  return withSmallFile(root, path, (file) => {
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
      mode: entry.mode & 0o7777,
      // Computed on demand: the hash takes as long as the read, and most readers do not need it.
      get version() {
        version ??= versionOf(bytes);
        return version;
      },
    };
  });
}

/**
 * Reads a small note, if it is as it was listed. Undefined for anything unusual. All are read into one buffer, because ten
 * thousand of their own keep the garbage collector busy: the bytes are those of the note until the next one is read.
 */
export function createListedReader(
  root: Root,
): (note: Pick<NoteMeta, 'path' | 'size'>) => Uint8Array | undefined {
  let buffer = Buffer.alloc(0);
  return ({ path, size }) => {
    if (size > LARGEST) return undefined;
    if (size >= buffer.length) buffer = Buffer.allocUnsafeSlow(Math.max(MOST_NOTES, size + 1));
    try {
      return withSmallFile(root, path, (file) => {
        const length = readSync(file, buffer, 0, size + 1, 0);
        return length === size ? buffer.subarray(0, length) : undefined;
      });
    } catch {
      return undefined;
    }
  };
}

function withSmallFile<T>(root: Root, path: NotePath, use: (file: number) => T): T | undefined {
  if (!HAS_PROC) return undefined;
  const place = root.real + sep + path;
  let file: number;
  try {
    file = openSync(place, NO_LINK);
  } catch {
    return undefined;
  }
  try {
    // The open file's real path must equal the requested one, so no link was followed.
    if (readlinkSync(`/proc/self/fd/${file}`) !== place || !root.isVisible(path, 'file')) return undefined;
    return use(file);
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

type Problem = readonly [code: ErrorCode, title: string, hint?: string];

const MISSING: Problem = ['not_found', 'File not found'];
const DENIED: Problem = [
  'forbidden',
  'Permission denied',
  'The user this server runs as has no permission for it.',
];
const FULL: Problem = ['internal', 'No space left', 'Nothing was changed. Free some space and try again.'];
const TOO_MANY: Problem = ['internal', 'Too many open files', 'Try again in a moment.'];

const PROBLEMS: Readonly<Record<string, Problem>> = {
  ENOENT: MISSING,
  ENOTDIR: MISSING,
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: ['read_only', 'Read-only file system'],
  ELOOP: ['forbidden', 'Access denied', 'It is a link that points back to itself.'],
  EISDIR: ['invalid_input', 'Not a note', 'It is a folder.'],
  ENAMETOOLONG: ['invalid_input', 'Path too long'],
  ENOSPC: FULL,
  EDQUOT: FULL,
  EMFILE: TOO_MANY,
  ENFILE: TOO_MANY,
};

function fromFileSystem(cause: unknown, subject: string): unknown {
  if (!(cause instanceof Error) || !('code' in cause)) return cause;
  const errno = String(cause.code);
  const [code, title, hint] = PROBLEMS[errno] ?? [
    'internal',
    `File system error ${errno}`,
    'Nothing was changed.',
  ];
  return new AppError(code, title, { subject, hint, cause });
}
