/**
 * A file replaced in one step: readers see the old content or the new one, never a part, also after a crash. The new
 * content is written to a temporary file beside the old one, which is then renamed.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifPresent } from './errno.ts';
import { makeFoldersSync } from './make-folders.ts';
import { flushFolder, renameEntry, renameEntrySync } from './platform.ts';

type Content = string | Uint8Array | Iterable<Uint8Array>;

interface ReplaceOptions {
  /** As of any new file: without the bits that the umask clears. */
  readonly mode?: number;
  /** Set as it is, whatever the umask. */
  readonly exactMode?: number;
  /** False for a file that can be made again: it may be damaged when the machine crashes. */
  readonly flush?: boolean;
  /** Throws when the file must stay as it is after all. */
  readonly lastCheck?: () => Promise<void>;
}

const ONLY_OWNER = 0o600;

export function replaceFile(file: string, content: Content, options: ReplaceOptions = {}): Promise<void> {
  const { exactMode, mode = exactMode ?? ONLY_OWNER, flush = true, lastCheck } = options;
  const temporary = temporaryBeside(file);
  return withNewFile(temporary, content, mode, async (handle) => {
    if (exactMode !== undefined) await handle.chmod(exactMode);
    if (flush) await handle.datasync();
    await lastCheck?.();
    await renameEntry(temporary, file);
    if (flush) await syncFolder(dirname(file));
  });
}

/** Makes the folder too. Not flushed: for files that can be made again. */
export function replaceFileSync(file: string, content: string | Uint8Array): void {
  const temporary = temporaryBeside(file);
  makeFoldersSync(dirname(file), 0o700);
  try {
    writeFileSync(temporary, content, { flag: 'wx', mode: ONLY_OWNER });
    renameEntrySync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Writes a temporary file that `place` flushes and puts in its place; it is removed when that fails. */
export async function withNewFile<T>(
  temporary: string,
  content: Content,
  mode: number,
  place: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await open(temporary, 'wx', mode);
  try {
    await writeFile(handle, content);
    return await place(handle);
  } catch (error) {
    await ifPresent(unlink(temporary)).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
}

/** Creates a temporary file in the folder and removes it: the permissions of a file do not tell root whether it may write. */
export async function tryWriting(folder: string): Promise<void> {
  const temporary = temporaryBeside(join(folder, '.quire-probe'));
  await withNewFile(temporary, '', ONLY_OWNER, () => unlink(temporary));
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await flushFolder(handle);
  } finally {
    await handle.close();
  }
}

/** Never the same twice, without loading `node:crypto`: the launcher uses this file. */
function temporaryBeside(file: string): string {
  return `${file}.${process.pid}-${process.hrtime.bigint().toString(36)}.new`;
}
