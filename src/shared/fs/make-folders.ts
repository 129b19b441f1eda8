/**
 * A folder with all that are missing above it. Node's own `recursive` never ends where the system lets no folder be made
 * and says that the one above is missing, although it is there: below /proc, in a folder that was removed, on some mounts.
 */
import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isErrno } from './errno.ts';

const USUAL_MODE = 0o777;

/** The topmost folder that was made; undefined when all were there. */
export async function makeFolders(folder: string, mode = USUAL_MODE): Promise<string | undefined> {
  try {
    await mkdir(folder, { mode });
    return folder;
  } catch (error) {
    if (!isMissingAbove(error, folder)) {
      if ((await stat(folder).catch(() => undefined))?.isDirectory()) return undefined;
      throw error;
    }
  }
  const above = await makeFolders(dirname(folder), mode);
  await mkdir(folder, { mode }).catch((error: unknown) => {
    if (!isErrno(error, 'EEXIST')) throw error;
  });
  return above ?? folder;
}

export function makeFoldersSync(folder: string, mode = USUAL_MODE): void {
  try {
    mkdirSync(folder, { mode });
    return;
  } catch (error) {
    if (!isMissingAbove(error, folder)) {
      if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
      throw error;
    }
  }
  makeFoldersSync(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  }
}

function isMissingAbove(error: unknown, folder: string): boolean {
  return isErrno(error, 'ENOENT') && dirname(folder) !== folder;
}
