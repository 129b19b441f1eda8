/**
 * State that survives the process: held in memory, written to a journal as it changes. One process at a time;
 * its folder and files are for their owner alone.
 */
import { chmod, mkdir, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ifPresent } from '../shared/fs/errno.ts';
import type { Log } from '../shared/log.ts';
import { type FolderLockOptions, lockFolder } from './folder-lock.ts';
import { goneLine, openJournal, putLine } from './journal.ts';
import { createEntries, entryOf, type StateStore } from './memory.ts';

interface FileStateOptions extends FolderLockOptions {
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const JOURNAL = 'state.jsonl';

export async function openFileState(folder: string, options: FileStateOptions): Promise<StateStore> {
  const { log, now = Date.now } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await keepPrivate(folder, 0o700, log);
  const lock = await lockFolder(join(folder, 'lock'), options);
  const entries = createEntries(now);
  try {
    await removeUnfinished(folder);
    await keepPrivate(join(folder, JOURNAL), 0o600, log);
    const journal = await openJournal(join(folder, JOURNAL), { entries, log, assertOurs: lock.assertHeld });
    const remove = async (key: string) => {
      if (entries.delete(key)) await journal.append(goneLine(key));
    };
    return {
      async get<T>(key: string) {
        const entry = entries.get(key);
        return entry && (JSON.parse(entry.text) as T);
      },
      async put(key, value, ttlSeconds) {
        const entry = entryOf(value, ttlSeconds, now());
        entries.set(key, entry);
        await journal.append(putLine(key, entry));
      },
      async take<T>(key: string) {
        const entry = entries.get(key);
        await remove(key);
        return entry && (JSON.parse(entry.text) as T);
      },
      delete: remove,
      list: async (prefix) => entries.keys(prefix),
      async close() {
        await journal.close();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function keepPrivate(path: string, mode: number, log: Log): Promise<void> {
  const found = await ifPresent(stat(path));
  if (!found || (found.mode & 0o077) === 0) return;
  await chmod(path, mode);
  log('warn', 'the state could be read by others; it is private now', {
    mode: (found.mode & 0o777).toString(8),
  });
}

/** New journals that a crash kept from their place. */
async function removeUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder);
  const unfinished = names.filter((name) => name.startsWith(`${JOURNAL}.`) && name.endsWith('.new'));
  await Promise.all(unfinished.map((name) => unlink(join(folder, name))));
}
