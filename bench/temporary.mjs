// Folders that are gone when the work in them is done, also when it is interrupted.
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function inTemporaryFolder(work) {
  const folder = await mkdtemp(join(tmpdir(), 'quire-bench-'));
  return removedAfter([folder], () => work(folder));
}

/** Does the work and then removes the paths. */
export async function removedAfter(paths, work) {
  const remove = () => {
    for (const path of paths) rmSync(path, { recursive: true, force: true });
  };
  process.once('exit', remove);
  try {
    return await work();
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** An interrupted process runs its exit handlers only if it calls `process.exit`. */
export function exitWhenInterrupted() {
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
}
