import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Tests that start the binary test what is in the tree, not what was built some time ago. */
export default async function setup(): Promise<() => Promise<void>> {
  // `npm test` and `npm run test:trilium` have built it.
  if (process.env.QUIRE_BUILT === undefined && process.env.QUIRE_TRILIUM_URL === undefined)
    await promisify(execFile)(process.execPath, [
      fileURLToPath(new URL('../scripts/build.mjs', import.meta.url)),
    ]);
  // Workers are ended, not asked to leave, so their caches are removed here.
  const caches = await mkdtemp(join(tmpdir(), 'quire-test-caches-'));
  process.env.QUIRE_TEST_CACHES = caches;
  return () => rm(caches, { recursive: true, force: true, maxRetries: 3 });
}
