/** A small file that says who made it, made in one step: a symbolic link, or a plain file where links do not exist. */

import { readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { isErrno } from '../../shared/fs/errno.ts';

/** Throws EEXIST when the mark is there already. */
export async function makeMark(file: string, owner: string): Promise<void> {
  try {
    await symlink(owner, file);
  } catch (error) {
    if (!isErrno(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP')) throw error;
    await writeFile(file, owner, { flag: 'wx' });
  }
}

/** The owner, or undefined when there is no such mark. */
export async function readMark(file: string): Promise<string | undefined> {
  try {
    return await readlink(file);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    if (!isErrno(error, 'EINVAL', 'UNKNOWN')) throw error;
    return readFile(file, 'utf8').catch(() => undefined);
  }
}
