/** A mutex among processes for short work on a file they share: in this process in order, among processes by a lock file. */
import { createSemaphore } from '../shared/async/semaphore.ts';
import { AppError } from '../shared/errors.ts';
import { type LockedSection, withLock } from '../shared/fs/lock-file.ts';

const WAIT_MS = 15_000;

export type FileMutex = <T>(work: (section: LockedSection) => Promise<T>) => Promise<T>;

export function createFileMutex(lockFile: string, waitMs = WAIT_MS): FileMutex {
  const inOrder = createSemaphore(1);
  return (work) => inOrder(() => withLock(lockFile, { waitMs, busy, lost: lostLock }, work));
}

export function lostLock(): AppError {
  return new AppError('conflict', 'Another process has taken over the state folder', {
    hint: 'Nothing more is written from here. Restart this server once the other one has stopped.',
  });
}

function busy(holder: string): AppError {
  return new AppError('conflict', 'Another process holds the state for too long', {
    subject: holder,
    hint: 'Try again; if it happens again, stop that process.',
  });
}
