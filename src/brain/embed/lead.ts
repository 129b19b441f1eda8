/**
 * Which of several processes does the work all of them would do. It only saves work: when two think they lead, some
 * of it is done twice. Who leads touches a file now and then; one that was not touched for a while is nobody's.
 */
import { mkdir, open, stat, unlink, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ifPresent, isErrno } from '../../shared/fs/errno.ts';

interface EmbeddingLease {
  release(): Promise<void>;
}

/** Nobody to share the work with. */
export const ALONE: EmbeddingLease = { release: async () => {} };

const BEAT_MS = 5_000;
const BEATS_MISSED = 4;

/** Undefined while another process leads. */
export async function acquireEmbeddingLease(file: string): Promise<EmbeddingLease | undefined> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const found = await ifPresent(stat(file));
  if (found && Date.now() - found.mtimeMs < BEAT_MS * BEATS_MISSED) return undefined;
  if (found) await ifPresent(unlink(file));
  try {
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return undefined;
    throw error;
  }
  const beat = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => {}), BEAT_MS);
  beat.unref();
  return {
    async release() {
      clearInterval(beat);
      await ifPresent(unlink(file));
    },
  };
}
