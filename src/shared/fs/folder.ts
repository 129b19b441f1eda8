import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { AppError } from '../errors.ts';
import { isErrno } from './errno.ts';

/** A path as people write it: `~` is the home folder, also where no shell has replaced it. */
export function fromHome(given: string, home = homedir()): string {
  if (given === '~' || /^~[/\\]/.test(given)) return join(home, given.slice(1).replace(/^\\/, '/'));
  if (!/^~[\w.-]+([/\\]|$)/.test(given)) return given;
  throw new AppError('invalid_input', 'The home folder of another user cannot be looked up', {
    subject: given,
    hint: `Write the whole path. For a folder that has this name: ./${given}`,
  });
}

/** The real path of a folder that can be read; anything else is refused by the name it was given. */
export async function readableFolder(folder: string): Promise<string> {
  try {
    const real = await realpath(folder);
    if (!(await stat(real)).isDirectory())
      throw new AppError('invalid_input', `${folder} is a file, not a folder`, {
        hint: `Give the folder that the file is in: ${dirname(folder)}`,
      });
    await access(real, constants.R_OK | constants.X_OK);
    return real;
  } catch (cause) {
    if (isErrno(cause, 'EACCES', 'EPERM'))
      throw new AppError('forbidden', 'The folder cannot be read', {
        subject: folder,
        hint: 'Permission is denied. Let the user that runs Quire read it, or give another folder.',
        cause,
      });
    if (!isErrno(cause, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw cause;
    throw new AppError('not_found', 'No such folder', {
      subject: folder,
      hint: 'Give the path of an existing folder of notes.',
      cause,
    });
  }
}
