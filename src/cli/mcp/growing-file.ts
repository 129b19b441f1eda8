/** The configuration file that a server is added to, which need not be there yet. */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { replaceText } from '../../governance/marketplace/marketplace.ts';
import { AppError } from '../../shared/errors.ts';
import { isErrno } from '../../shared/fs/errno.ts';
import type { McpCall } from './command.ts';

export interface GrowingFile {
  readonly path: string;
  readonly text: string;
  readonly isNew: boolean;
}

export function growingFileOf({ config, workingFolder }: McpCall): GrowingFile {
  if (config) return { path: config.path, text: config.text, isNew: false };
  return { path: join(workingFolder, 'quire.yaml'), text: '', isNew: true };
}

/** Refuses a file that somebody wrote meanwhile. */
export async function writeGrown({ path, text: before, isNew }: GrowingFile, text: string): Promise<void> {
  if (!isNew) return replaceText(path, before, text);
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (!isErrno(error, 'EEXIST')) throw error;
    throw new AppError('conflict', 'A configuration file was written meanwhile', {
      subject: basename(path),
      hint: 'Nothing was changed. Try again.',
    });
  });
}
