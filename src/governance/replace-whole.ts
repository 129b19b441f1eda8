/** A text in the place of a file, in one step: the old one or the new one, never a part. */
import { randomBytes } from 'node:crypto';
import { open, rename, unlink } from 'node:fs/promises';
import { ifPresent } from '../shared/fs/errno.ts';

interface ReplaceOptions {
  /** Exactly this one, whatever the umask; without it, what a new file usually has. */
  readonly mode?: number;
  /** Throws when the file must stay as it is after all. */
  readonly lastCheck?: () => Promise<void>;
}

const USUAL_MODE = 0o644;

export async function replaceWhole(path: string, text: string, options: ReplaceOptions = {}): Promise<void> {
  const { mode, lastCheck } = options;
  const temporary = `${path}.${randomBytes(6).toString('hex')}.new`;
  const handle = await open(temporary, 'wx', mode ?? USUAL_MODE);
  try {
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.sync();
    await lastCheck?.();
    await rename(temporary, path);
  } catch (error) {
    await ifPresent(unlink(temporary));
    throw error;
  } finally {
    await handle.close();
  }
}
