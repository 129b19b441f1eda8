/**
 * Lock files: one holder at a time among all processes that share a disk. The file names its holder, so a holder that
 * crashed on this machine is recognised at once. A holder elsewhere (another container, another machine) is judged by
 * its heartbeat: a lock whose time stamp stands still is stale. A holder may therefore lose its lock while it is
 * suspended, and asks `isHeld` right before it writes.
 * The single steps are synchronous, which lets a caller take the lock and write before anything else runs here.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoize } from '../memoize.ts';
import { isErrno } from './errno.ts';
import { holderName, holderText, isAlive, isHolderGone } from './file-holder.ts';

export interface FileLock {
  /** False once another process has taken the lock over. */
  isHeld(): boolean;
  release(): void;
}

export interface LockOptions {
  /** How long to wait for other holders. Without it, only as long as it takes to find out whether a holder lives. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
  readonly heartbeatMs?: number;
  /** The error for a lock that stays taken; `holder` is for its message. */
  readonly busy: (holder: string) => Error;
}

export interface LockedSection {
  /** Throws when another process has taken the lock over; called right before a write. */
  assertHeld(): Promise<void>;
}

const HEARTBEAT_MS = 2_000;
const MISSED_HEARTBEATS = 3.5;
/** A process that takes longer to remove a stale lock has crashed in the middle of it. */
const REMOVING_MS = 5_000;
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [2, 40];

export async function withLock<T>(
  file: string,
  options: LockOptions & {
    /** The error for a lock that was taken over, where it is another than `busy`. */
    readonly lost?: () => Error;
  },
  work: (section: LockedSection) => Promise<T>,
): Promise<T> {
  const lock = await acquireLock(file, options);
  const assertHeld = async () => {
    if (!lock.isHeld()) throw options.lost?.() ?? options.busy('another process');
  };
  try {
    return await work({ assertHeld });
  } finally {
    lock.release();
  }
}

export function acquireLock(file: string, options: LockOptions): Promise<FileLock> {
  return acquireAnyLock([file], options);
}

/** Whichever of the locks is free first. */
export async function acquireAnyLock(files: readonly string[], options: LockOptions): Promise<FileLock> {
  const { waitMs, signal, heartbeatMs = HEARTBEAT_MS, busy } = options;
  const deadline = performance.now() + (waitMs ?? Number.POSITIVE_INFINITY);
  const candidates = files.map((file) => ({ file, inspect: createInspector(file, heartbeatMs) }));
  for (let pause = MIN_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    const states = new Set<LockState>();
    for (const { file, inspect } of candidates) {
      const lock = tryLock(file, heartbeatMs);
      if (lock) return lock;
      states.add(inspect());
    }
    const isFree = states.has('free');
    const isTaken = waitMs === undefined && !isFree && !states.has('unknown');
    if (isTaken || performance.now() > deadline) throw busy(holderName(readLock(files[0] ?? '') ?? ''));
    await sleep(isFree ? 0 : pause * (0.5 + Math.random()), undefined, { signal });
  }
}

/** Undefined while there is a lock, of a live process or not. */
export function tryLock(file: string, heartbeatMs = HEARTBEAT_MS): FileLock | undefined {
  const text = holderText();
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return undefined;
    throw error;
  }
  const heartbeat = setInterval(
    () => void utimes(file, new Date(), new Date()).catch(() => {}),
    heartbeatMs,
  ).unref();
  const isHeld = () => readLock(file) === text;
  return {
    isHeld,
    release() {
      clearInterval(heartbeat);
      try {
        if (isHeld()) unlinkSync(file);
      } catch {
        // The work is done; a lock that cannot be removed is stale when this process ends.
      }
    },
  };
}

type LockState =
  | 'held'
  | 'free'
  /** No heartbeat yet, but not for long enough to call the lock stale. */
  | 'unknown';

/** Looks at a lock that is in the way, and removes it when it is stale. A heartbeat shows between two looks. */
function createInspector(file: string, heartbeatMs: number): () => LockState {
  let before: { readonly text: string; readonly mtimeMs: number; readonly since: number } | undefined;
  return () => {
    const text = readLock(file);
    const mtimeMs = lstatSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (text === undefined || mtimeMs === undefined) return 'free';
    const isGone = isHolderGone(text);
    if (isGone === false) return 'held';
    if (isGone === undefined) {
      const now = performance.now();
      if (before?.text !== text || before.mtimeMs !== mtimeMs) {
        // Between its creation and its first write a lock is empty: text that appears then is no sign of life.
        const isAlive = before !== undefined && (before.text !== '' || text === '');
        before = { text, mtimeMs, since: now };
        return isAlive ? 'held' : 'unknown';
      }
      if (now - before.since < heartbeatMs * MISSED_HEARTBEATS) return 'unknown';
    }
    before = undefined;
    return removeLock(file, text) ? 'free' : 'unknown';
  };
}

/**
 * Whether it removed a stale lock. One process at a time does so, under a lock of its own: without it, a second process that had
 * judged the same stale lock could remove the one of a live process that took its place.
 */
function removeLock(file: string, judged: string): boolean {
  const removing = `${file}.removing.lock`;
  try {
    writeFileSync(removing, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    const found = statSync(removing, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > REMOVING_MS) rmSync(removing, { force: true });
    return false;
  }
  try {
    if (readLock(file) !== judged) return false;
    rmSync(file, { force: true });
    return true;
  } finally {
    rmSync(removing, { force: true });
  }
}

/** Who holds the lock, for a message; undefined when nobody does. Takes and removes nothing. */
export function lockHolder(file: string, heartbeatMs = HEARTBEAT_MS): string | undefined {
  const text = readLock(file);
  const mtimeMs = lstatSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (text === undefined || mtimeMs === undefined) return undefined;
  const isStill = Date.now() - mtimeMs > heartbeatMs * MISSED_HEARTBEATS;
  return (isHolderGone(text) ?? isStill) ? undefined : holderName(text);
}

/**
 * The text of a lock file: empty while it is being written, and for users who may not read it. Undefined when
 * there is no file. Older versions wrote the holder of a note's lock as the target of a symbolic link.
 */
export function readLock(file: string): string | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      return readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    if (isErrno(error, 'EACCES', 'EPERM')) return '';
    if (!isErrno(error, 'ELOOP', 'EMLINK')) throw error;
  }
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}

/**
 * A lock for sections that are over before anything else runs here, taken thousands of times a second: a second name
 * for a file that names the holder, which is one system call. It has no heartbeat.
 */
export function openSyncLock(file: string) {
  const prefix = `${basename(file)}.own-`;
  let own: { readonly path: string; readonly ino: number } | undefined;
  let hasHardLinks = true;
  const removeOrphans = memoize(() => removeOrphansOf(dirname(file), prefix));

  const createOwn = () => {
    removeOrphans();
    const path = join(dirname(file), `${prefix}${process.pid}-${randomBytes(12).toString('hex')}`);
    writeFileSync(path, holderText(), { flag: 'wx', mode: 0o600 });
    return { path, ino: statSync(path).ino };
  };

  return {
    /** Undefined while there is a lock; `acquireLock` finds out whether its holder lives. */
    tryAcquire(): FileLock | undefined {
      if (!hasHardLinks) return tryLock(file);
      try {
        own ??= createOwn();
        linkSync(own.path, file);
      } catch (error) {
        if (isErrno(error, 'EEXIST')) return undefined;
        // Another process removed it as an orphan, or the folder is not there yet.
        if (isErrno(error, 'ENOENT')) own = undefined;
        else hasHardLinks = false;
        return undefined;
      }
      const { ino } = own;
      const isHeld = () => statSync(file, { throwIfNoEntry: false })?.ino === ino;
      return {
        isHeld,
        release() {
          if (isHeld()) unlinkSync(file);
        },
      };
    },
    /** Removes the file that names the holder; the next `tryAcquire` makes it again. */
    close(): void {
      if (own) rmSync(own.path, { force: true });
      own = undefined;
    },
  };
}

/** Left behind by crashed processes. A live process in another container makes its own again. */
function removeOrphansOf(folder: string, prefix: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith(prefix) && !isAlive(Number.parseInt(name.slice(prefix.length), 10)))
      rmSync(join(folder, name), { force: true });
}
