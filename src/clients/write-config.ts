/** Replaces a client's configuration file in one step, after a copy of it was put beside it. */
import { constants, copyFile, readFile, readlink, realpath, stat, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { ifPresent, isErrno } from '../shared/fs/errno.ts';
import { makeFolders } from '../shared/fs/make-folders.ts';
import { replaceFile } from '../shared/fs/replace-file.ts';

/** A configuration may hold keys of other servers, so a new one is for its owner alone. */
const ONLY_OWNER = 0o600;

export interface WrittenConfig {
  /** The file that was replaced: the target, where the place is a symbolic link. */
  readonly file: string;
  /** Undefined for a new file. */
  readonly backup?: string;
}

/** `before` is the text that the change was made from; a file that is another by now is left alone. */
export async function writeConfig(
  place: string,
  before: string,
  after: string,
  now = new Date(),
): Promise<WrittenConfig> {
  const file = await targetOf(place);
  const found = await ifPresent(stat(file));
  if (!found) {
    await makeFolders(dirname(file));
    await replaceFile(file, after, { exactMode: ONLY_OWNER });
    return { file };
  }
  const backup = await copyBeside(file, now);
  const lastCheck = async () => {
    if ((await readFile(file, 'utf8')) !== before)
      throw new AppError('conflict', 'The file was changed by another program meanwhile', {
        subject: file,
        hint: 'Nothing was changed. Run quire connect again.',
      });
  };
  try {
    await replaceFile(file, after, { exactMode: found.mode & 0o7777, lastCheck });
  } catch (error) {
    await unlink(backup);
    throw error;
  }
  return { file, backup };
}

/** Where a symbolic link leads to, also when nothing is there yet. */
async function targetOf(place: string): Promise<string> {
  const real = await ifPresent(realpath(place));
  if (real !== undefined) return real;
  const link = await ifPresent(readlink(place));
  return link === undefined ? place : targetOf(resolve(dirname(place), link));
}

/** Never over an older copy. */
async function copyBeside(file: string, now: Date): Promise<string> {
  const time = now
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replaceAll(/[:-]/g, '')
    .replace('T', '-');
  for (let count = 1; ; count++) {
    const backup = `${file}.quire-backup-${time}${count === 1 ? '' : `-${count}`}`;
    try {
      await copyFile(file, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
    }
  }
}
