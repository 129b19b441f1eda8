/**
 * One writer per note or attachment of a Trilium among the Quire processes of one user on one machine. Where the folder
 * of lock files cannot be used, writes go on without locks, with one warning; each write is still verified.
 */
import { createHash } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import { isErrno } from '../../shared/fs/errno.ts';
import { withLock } from '../../shared/fs/lock-file.ts';
import type { Log } from '../../shared/log.ts';
import { memoize } from '../../shared/memoize.ts';

/** Runs the work while it holds the lock of the note or attachment. */
export type WriteLock = <T>(id: string, work: () => Promise<T>) => Promise<T>;

/** The locks of one Trilium, by its host. */
export type WriteLocks = (host: string) => WriteLock;

interface WriteLockOptions {
  readonly folder?: string;
  readonly log?: Log | undefined;
}

const WAIT_MS = 10_000;

export function createWriteLocks(options: WriteLockOptions = {}): WriteLocks {
  const { folder = join(tmpdir(), `quire-locks-${userInfo().uid}`), log } = options;
  const warnOnce = memoize(() =>
    log?.('warn', 'Lock folder unusable', {
      folder,
      hint: 'Writes of several Quires on this machine to one note do not wait for each other; each is still checked after it was made. Make it a folder of the user who runs Quire, or set TMPDIR to one that this user can write to.',
    }),
  );
  return (host) => async (id, work) => {
    // Checked each time, because temporary folders are cleared while programs run.
    if (!(await isOwnFolder(folder))) {
      warnOnce();
      return work();
    }
    return withLock(join(folder, nameOf(host, id)), { waitMs: WAIT_MS, busy: () => busy(id) }, work);
  };
}

/** Hashed twice, as by older versions that may run beside this one. */
function nameOf(host: string, id: string): string {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  return `.quire-${sha256(sha256(`${host} ${id}`)).slice(0, 16)}.lock`;
}

function busy(id: string): AppError {
  return new AppError('conflict', 'Note is being written by another process', {
    subject: id,
    hint: 'Nothing was changed. Try again in a moment.',
  });
}

/** Creates the folder if it is missing. In a world-writable folder another user may have created it first. */
async function isOwnFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (!isErrno(error, 'EEXIST')) throw error;
    });
    const entry = await lstat(folder);
    return entry.isDirectory() && (process.getuid === undefined || entry.uid === process.getuid());
  } catch {
    // For example on a read-only disk.
    return false;
  }
}
