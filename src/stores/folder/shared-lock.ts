/**
 * One writer per name between the Quires of one user on one machine, for stores that have no lock of their own. Where
 * no lock can be made, or its folder is somebody else's, the work goes on without, which the log says once: who uses it must not rely on it alone.
 */
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { ifPresent, isErrno } from '../../shared/fs/errno.ts';
import type { Log } from '../../shared/log.ts';
import { withLock } from './lock.ts';

export type SharedLock = <T>(name: string, use: () => Promise<T>) => Promise<T>;

interface SharedLockOptions {
  readonly folder?: string;
  readonly log?: Log | undefined;
}

export function createSharedLock(store: string, options: SharedLockOptions = {}): SharedLock {
  const { folder = lockFolder(), log } = options;
  const at = (name: string) => join(folder, name);
  return async (name, use) => {
    // Each time, since temporary folders are cleared while programs run.
    if (!(await isOurs(folder))) {
      tellOnce(folder, log);
      return use();
    }
    const key = createHash('sha256').update(`${store} ${name}`).digest('hex');
    return withLock({ folder: { at }, name: key }, use);
  };
}

/** Folders the operator was told about. A gateway makes a lock for each of its callers. */
const told = new Set<string>();

function tellOnce(folder: string, log?: Log): void {
  if (!log || told.has(folder)) return;
  told.add(folder);
  log('warn', 'Lock folder unusable', {
    folder,
    hint: 'Writes of several Quires on this machine to one note do not wait for each other; each is still checked after it was made. Make it a folder of the user who runs Quire, or set TMPDIR to one he can write to.',
  });
}

function lockFolder(): string {
  return join(tmpdir(), `quire-locks-${userInfo().uid}`);
}

/** Made if it is missing. In a folder that everybody may write to, another user may have been quicker. */
async function isOurs(folder: string): Promise<boolean> {
  try {
    const entry = (await ifPresent(lstat(folder))) ?? (await made(folder));
    return entry.isDirectory() && (process.getuid === undefined || entry.uid === process.getuid());
  } catch {
    // A read-only system, for one: the work is done all the same.
    return false;
  }
}

async function made(folder: string): Promise<Stats> {
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (!isErrno(error, 'EEXIST')) throw error;
  });
  return lstat(folder);
}
