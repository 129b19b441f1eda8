import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Tests that start the binary test what is in the tree, not what was built some time ago. */
export default async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL('../scripts/build.mjs', import.meta.url)),
  ]);
}
