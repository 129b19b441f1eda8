import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Tests that start the binary test what is in the tree, not what was built some time ago. */
export default async function setup(): Promise<() => Promise<void>> {
  // `npm run test:trilium` has built it.
  if (process.env.QUIRE_TRILIUM_URL === undefined)
    await promisify(execFile)(process.execPath, [
      fileURLToPath(new URL('../scripts/build.mjs', import.meta.url)),
    ]);
  return removeCaches;
}

/** Workers are ended, not asked to leave, so their caches are removed here. */
async function removeCaches(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith('quire-test-cache-'));
  await Promise.all(names.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true })));
}
