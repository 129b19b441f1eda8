/** Folders of a test's own, gone when it ends. */
import { link, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

const caches = process.env.QUIRE_TEST_CACHES ?? tmpdir();
const cache = join(caches, 'quire-test-cache');
const state = join(caches, `quire-test-state-${process.pid}`);

/** For processes a test starts: nothing of the user's own is read or written. */
export const CLEAN_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? '',
  // One for all workers, so that each bundle is compiled once, not by every file that starts it.
  XDG_CACHE_HOME: cache,
  XDG_STATE_HOME: state,
  // Never the key of who runs the tests.
  QUIRE_AUDIT_KEY_FILE: join(state, 'audit.key'),
  // `QUIRE_STARTUP=plain npm test` holds the servers to their promises without the start-up shortcuts.
  ...(process.env.QUIRE_STARTUP && { QUIRE_STARTUP: process.env.QUIRE_STARTUP }),
};

export async function temporaryFolder(
  seed: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  for (const [path, content] of Object.entries(seed)) await putFile(folder, path, content);
  return folder;
}

/** A cache without any index, in which the bundles are compiled if they are for others. */
export async function ownCache(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'quire'));
  const names = await readdir(join(cache, 'quire')).catch(() => []);
  for (const name of names.filter((one) => /^start-.*\.bin$/.test(one)))
    await link(join(cache, 'quire', name), join(folder, 'quire', name));
  return folder;
}

export async function putFile(folder: string, path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

export function fileText(folder: string, path: string): Promise<string> {
  return readFile(join(folder, path), 'utf8');
}
