/**
 * One writer per name between the Quires of one user on one machine, for stores that have no lock of their own. Where
 * no lock can be made, or its folder is somebody else's, the work goes on without: who uses it must not rely on it alone.
 */
import { createHash } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { isErrno } from '../../shared/errno.ts';
import { withLock } from './lock.ts';

export type SharedLock = <T>(name: string, use: () => Promise<T>) => Promise<T>;

export function createSharedLock(store: string, folder: string = lockFolder()): SharedLock {
  const at = (name: string) => join(folder, name);
  let usable: Promise<boolean> | undefined;
  return async (name, use) => {
    usable ??= isOurs(folder);
    if (!(await usable)) return use();
    const key = createHash('sha256').update(`${store} ${name}`).digest('hex');
    return withLock({ folder: { at }, name: key }, use);
  };
}

function lockFolder(): string {
  return join(tmpdir(), `quire-locks-${userInfo().uid}`);
}

/** Made if it is missing. In a folder that everybody may write to, another user may have been quicker. */
async function isOurs(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (!isErrno(error, 'EEXIST')) throw error;
    });
    const entry = await lstat(folder);
    return entry.isDirectory() && (process.getuid === undefined || entry.uid === process.getuid());
  } catch {
    // A read-only system, for one: the work is done all the same.
    return false;
  }
}
