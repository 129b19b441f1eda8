/** The names of the two kinds of short-lived files a write makes beside a note, and their removal when left behind. */

import { createHash } from 'node:crypto';
import { lstat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathKey } from '../../notes/path.ts';
import { ifPresent } from '../../shared/fs/errno.ts';
import { readMark } from './mark.ts';
import { isAbandoned, SELF } from './owner.ts';

let counter = 0;

/** The same for every spelling of a name and every process, so that it excludes. */
export function lockName(name: string): string {
  return `.quire-${createHash('sha256').update(pathKey(name)).digest('hex').slice(0, 16)}.lock`;
}

/** Never the same twice. */
export function temporaryName(): string {
  return `.quire-${SELF}-${++counter}.tmp`;
}

export function isLitterName(name: string): boolean {
  return /^\.quire-.+\.(tmp|lock)$/.test(name);
}

/** Removes one such file if the process that made it is gone. */
export async function sweep(folder: string, name: string): Promise<void> {
  const file = join(folder, name);
  const entry = await ifPresent(lstat(file));
  if (!entry) return;
  const owner = name.endsWith('.lock')
    ? ((await readMark(file)) ?? '')
    : (/^\.quire-(.+)-\d+\.tmp$/.exec(name)?.[1] ?? '');
  if (isAbandoned(owner, Date.now() - entry.mtimeMs)) await ifPresent(unlink(file));
}
