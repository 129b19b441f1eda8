/**
 * What Windows does differently with files. Each function takes the platform, so that its Windows side is tested on
 * every machine; docs/operate/platforms.md lists all differences.
 */
import { renameSync } from 'node:fs';
import { type FileHandle, rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isErrno } from './errno.ts';

/** On Windows a mode says nothing about other users: access is a matter of the folder's access control list. */
export function hasFileModes(platform = process.platform): boolean {
  return platform !== 'win32';
}

/** Makes renames, new names and removals in an open folder durable. Windows has no such call and journals them itself. */
export async function flushFolder(
  folder: Pick<FileHandle, 'sync'>,
  platform = process.platform,
): Promise<void> {
  try {
    await folder.sync();
  } catch (error) {
    if (platform !== 'win32' || !isErrno(error, 'EPERM', 'EACCES', 'EISDIR', 'EINVAL', 'EBADF')) throw error;
  }
}

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 320;

/** On Windows a file that another program holds open (an indexer, a virus scanner) cannot be renamed or replaced for a moment. */
function isHeldOpen(error: unknown, platform: NodeJS.Platform): boolean {
  return platform === 'win32' && isErrno(error, 'EPERM', 'EACCES', 'EBUSY');
}

export async function renameEntry(
  from: string,
  to: string,
  { platform = process.platform, renameOnce = rename } = {},
): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    try {
      return await renameOnce(from, to);
    } catch (error) {
      if (pause > LONGEST_PAUSE_MS || !isHeldOpen(error, platform)) throw error;
    }
    await sleep(pause);
  }
}

const SYNC_TRIES = 3;

/** Without a pause, for files that can be made again. */
export function renameEntrySync(
  from: string,
  to: string,
  { platform = process.platform, renameOnce = renameSync } = {},
): void {
  for (let tries = 1; ; tries++) {
    try {
      renameOnce(from, to);
      return;
    } catch (error) {
      if (tries === SYNC_TRIES || !isHeldOpen(error, platform)) throw error;
    }
  }
}
