/** Files and folders for their owner alone. */
import { chmod, mkdir, stat } from 'node:fs/promises';
import { ifPresent } from './errno.ts';
import { hasFileModes } from './platform.ts';

export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
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
