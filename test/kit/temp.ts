/** Folders of a test's own, gone when it ends. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

const cache = join(process.env.QUIRE_TEST_CACHES ?? tmpdir(), `quire-test-cache-${process.pid}`);

/** For processes a test starts: nothing of the user's own is read or written. */
export const CLEAN_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? '',
  XDG_CACHE_HOME: cache,
  XDG_STATE_HOME: cache,
  // Never the key of who runs the tests.
  QUIRE_AUDIT_KEY_FILE: join(cache, 'audit.key'),
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

export async function putFile(folder: string, path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

export function fileText(folder: string, path: string): Promise<string> {
  return readFile(join(folder, path), 'utf8');
}
