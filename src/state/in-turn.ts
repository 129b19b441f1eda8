/**
 * Short work on a file that several processes share, one at a time. Who waits too long is told so; who died
 * while it had its turn holds up nobody.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { KeyedMutex } from '../shared/async/keyed-mutex.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';

const PATIENCE_MS = 15_000;
const LONGEST_PAUSE_MS = 40;
const here = new KeyedMutex();

export interface LockedSection {
  /** Throws `conflict` when the turn was lost; to be asked right before a write. */
  assertOurs(): Promise<void>;
}

export function withFileMutex<T>(
  lockFile: string,
  work: (turn: LockedSection) => Promise<T>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  return here.run(lockFile, async () => {
    const lock = await waitFor(lockFile, patienceMs);
    try {
      return await work({ assertOurs: lock.assertHeld });
    } finally {
      await lock.release();
    }
  });
}

async function waitFor(lockFile: string, patienceMs: number): Promise<FolderLock> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await lockFolder(lockFile);
    } catch (error) {
      if (!isAppError(error, 'conflict')) throw error;
      if (performance.now() > deadline) throw stillBusy(error);
    }
    await sleep(randomInt(2, LONGEST_PAUSE_MS));
  }
}

function stillBusy(cause: AppError): AppError {
  return new AppError('conflict', 'Another process holds the state for too long', {
    subject: cause.subject,
    hint: 'Try again; if it stays so, stop that process.',
    cause,
  });
}
