// The benchmark as a guest in a vault: it writes below one folder of its own and leaves nothing behind.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removedAfter } from './temporary.mjs';

export const GUEST_FOLDER = '_bench';

/** `leavings` are paths below the vault that servers make and forget; those that were there before stay. */
export async function asGuest(vault, leavings, work) {
  const own = join(vault, GUEST_FOLDER);
  if (existsSync(own))
    throw new Error(`There is a folder ${GUEST_FOLDER} in the vault already: remove it first`);
  const foreign = leavings.map((path) => join(vault, path)).filter((path) => !existsSync(path));
  return removedAfter([own, ...foreign], async () => {
    await mkdir(own);
    return work();
  });
}
