/**
 * State that survives the process: held in memory, written to a journal as it changes. One process at a time;
 * its folder and files are for their owner alone.
 */
import { readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { ifPresent } from '../shared/fs/errno.ts';
import { acquireLock, lockHolder } from '../shared/fs/lock-file.ts';
import { makeFolders } from '../shared/fs/make-folders.ts';
import { makePrivate } from '../shared/fs/private.ts';
import { tryWriting } from '../shared/fs/replace-file.ts';
import type { Log } from '../shared/log.ts';
import { lostLock } from './file-mutex.ts';
import { assertJournal, lineOf, openJournal } from './journal.ts';
import { createEntries, type StateStore, storeOver } from './memory.ts';

interface FileStateOptions {
  readonly log: Log;
  readonly heartbeatMs?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const JOURNAL = 'state.jsonl';
const LOCK = 'lock';

export async function openFileState(folder: string, options: FileStateOptions): Promise<StateStore> {
  const { log, heartbeatMs, now = Date.now } = options;
  await makeFolders(folder, 0o700);
  await keepPrivate(folder, 0o700, log);
  const lock = await acquireLock(join(folder, LOCK), { heartbeatMs, busy: inUse });
  const assertHeld = async () => {
    if (!lock.isHeld()) throw lostLock();
  };
  const entries = createEntries(now);
  try {
    await removeUnfinished(folder);
    await keepPrivate(join(folder, JOURNAL), 0o600, log);
    const journal = await openJournal(join(folder, JOURNAL), { entries, log, assertHeld });
    return storeOver(entries, {
      now,
      record: (key, entry) => journal.append(lineOf(key, entry)),
      async close() {
        await journal.close();
        lock.release();
      },
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Throws what `openFileState` would throw; creates no folder and takes no lock. */
export async function probeFileState(folder: string): Promise<void> {
  const found = await ifPresent(stat(folder));
  if (found?.isDirectory() === false) throw Object.assign(new Error('a file'), { code: 'EEXIST' });
  if (!found) return tryWriting(await folderAbove(folder));
  await tryWriting(folder);
  const holder = lockHolder(join(folder, LOCK));
  if (holder !== undefined) throw inUse(holder);
  await assertJournal(join(folder, JOURNAL), createEntries(Date.now));
}

/** Keys that begin with `prefix`, as they are on the disk; takes no lock and changes nothing. */
export async function peekFileState(folder: string, prefix: string): Promise<string[]> {
  const entries = createEntries(Date.now);
  await assertJournal(join(folder, JOURNAL), entries);
  return entries.keys(prefix);
}

/** The nearest folder above that exists. */
async function folderAbove(folder: string): Promise<string> {
  const above = dirname(folder);
  const found = await ifPresent(stat(above));
  if (!found && above !== folder) return folderAbove(above);
  if (!found?.isDirectory()) throw Object.assign(new Error('below a file'), { code: 'ENOTDIR' });
  return above;
}

async function keepPrivate(path: string, mode: number, log: Log): Promise<void> {
  const before = await makePrivate(path, mode);
  if (before === undefined) return;
  log('warn', 'the state could be read by others; it is private now', { mode: before.toString(8) });
}

function inUse(holder: string): AppError {
  return new AppError('conflict', 'The state folder is in use', {
    subject: holder,
    hint: 'Stop that one first, or give this server a state folder of its own.',
  });
}

/** Temporary files of a compaction that a crash interrupted. */
async function removeUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder);
  const unfinished = names.filter((name) => name.startsWith(`${JOURNAL}.`) && name.endsWith('.new'));
  await Promise.all(unfinished.map((name) => unlink(join(folder, name))));
}
