/** A new file in the place of another, in one step. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ifPresent } from '../shared/fs/errno.ts';

const ONLY_OWNER = 0o600;

/** Writes beside the file, then puts it in its place in one step; gives the new file, open for more. */
export async function replaceFile(
  file: string,
  text: string,
  lastCheck: () => Promise<void>,
): Promise<FileHandle> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.new`;
  const handle = await open(temporary, 'ax', ONLY_OWNER);
  try {
    await handle.appendFile(text);
    await handle.datasync();
    await lastCheck();
    await rename(temporary, file);
    await syncFolder(dirname(file));
    return handle;
  } catch (error) {
    await handle.close();
    await ifPresent(unlink(temporary));
    throw error;
  }
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
