/** Files and folders for their owner alone. */
import { chmod, stat } from 'node:fs/promises';
import { ifPresent } from './errno.ts';
import { makeFolders } from './make-folders.ts';
import { hasFileModes } from './platform.ts';

export async function makePrivateFolder(folder: string): Promise<void> {
  await makeFolders(folder, 0o700);
  await makePrivate(folder, 0o700);
}

/** The mode that let other users in until now; undefined when there was none. */
export async function makePrivate(
  path: string,
  mode: number,
  platform = process.platform,
): Promise<number | undefined> {
  if (!hasFileModes(platform)) return undefined;
  const found = await ifPresent(stat(path));
  if (!found || (found.mode & 0o077) === 0) return undefined;
  await chmod(path, mode);
  return found.mode & 0o777;
}
