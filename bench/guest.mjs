// The benchmark as a guest in a vault: it writes below one folder of its own and leaves nothing behind.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removedAfter } from './temporary.mjs';

export const GUEST_FOLDER = '_bench';

/**
 * `leavings` are paths below the vault that servers make and forget, `wanted` folders without which one does not start;
 * those that were there before stay.
 */
export async function asGuest(vault, { leavings, wanted }, work) {
  const own = join(vault, GUEST_FOLDER);
  if (existsSync(own))
    throw new Error(`There is a folder ${GUEST_FOLDER} in the vault already: remove it first`);
  const missing = (paths) => paths.map((path) => join(vault, path)).filter((path) => !existsSync(path));
  const made = [own, ...missing(wanted)];
  return removedAfter([...made, ...missing(leavings)], async () => {
    for (const folder of made) await mkdir(folder);
    return work();
  });
}
