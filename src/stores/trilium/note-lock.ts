/**
 * One writer per note between the Quires of one user on one machine: ETAPI has no conditional write, so two of them
 * could overwrite each other between the look and the write. Where no lock can be made (a read-only home, say), writes
 * go on without: what was written is looked at afterwards in any case.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolderOf } from '../../shared/cache-folder.ts';
import { withLock } from '../folder/lock.ts';

export type NoteLock = <T>(noteId: string, use: () => Promise<T>) => Promise<T>;

export function createNoteLock(
  host: string,
  folder: string = join(cacheFolderOf(process.env), 'trilium-locks'),
): NoteLock {
  const at = (name: string) => join(folder, name);
  let made: Promise<boolean> | undefined;
  return async (noteId, use) => {
    made ??= mkdir(folder, { recursive: true, mode: 0o700 }).then(
      () => true,
      () => false,
    );
    if (!(await made)) return use();
    const name = createHash('sha256').update(`${host} ${noteId}`).digest('hex');
    return withLock({ folder: { at }, name }, use);
  };
}
