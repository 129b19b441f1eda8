/**
 * One writer per note between processes. The lock names its owner. It excludes other Quires, not foreign editors; those are caught by
 * the last check before the rename.
 */

import { lstat, rename, unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../shared/errors.ts';
import { ifPresent, isErrno } from '../../shared/fs/errno.ts';
import { lockName, temporaryName } from './file.ts';
import { makeMark, readMark } from './mark.ts';
import { isAbandoned, SELF } from './owner.ts';
import type { Place } from './root.ts';

const PATIENCE_MS = 10_000;

export interface Lock {
  /** Throws `conflict` unless the lock is still ours: it may have been taken for abandoned while this process slept. */
  assertHeld(): Promise<void>;
}

/** Any folder that names can be looked up in will do. */
interface LockPlace {
  readonly folder: Pick<Place['folder'], 'at'>;
  readonly name: string;
}

export async function withLock<T>({ folder, name }: LockPlace, use: (lock: Lock) => Promise<T>): Promise<T> {
  const file = folder.at(lockName(name));
  await acquire(file, name, folder.at);
  const isOurs = async () => (await readMark(file)) === SELF;
  try {
    return await use({
      assertHeld: async () => {
        if (!(await isOurs())) throw busy(name);
      },
    });
  } finally {
    if (await isOurs()) await unlink(file).catch(() => {});
  }
}

async function acquire(file: string, name: string, at: (name: string) => string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let wait = 2; ; wait = Math.min(wait * 2, 40)) {
    try {
      await makeMark(file, SELF);
      return;
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
    }
    if (await isLeftBehind(file)) await takeAway(file, at);
    else if (Date.now() > deadline) throw busy(name);
    else await sleep(wait * (0.5 + Math.random()));
  }
}

async function isLeftBehind(file: string): Promise<boolean> {
  const [owner, entry] = await Promise.all([readMark(file), ifPresent(lstat(file))]);
  return owner !== undefined && entry !== undefined && isAbandoned(owner, Date.now() - entry.mtimeMs);
}

/**
 * Renames before removing, so that of two processes that find the same dead lock only one removes it. Should
 * a fresh lock be hit instead, its holder notices in `assertHeld` and gives up; nothing is lost.
 */
async function takeAway(file: string, at: (name: string) => string): Promise<void> {
  const aside = at(temporaryName());
  try {
    await rename(file, aside);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return;
    throw error;
  }
  await unlink(aside);
}

function busy(name: string): AppError {
  return new AppError('conflict', 'Note is being written by another process', {
    subject: name,
    hint: 'Nothing was changed. Try again in a moment.',
  });
}
