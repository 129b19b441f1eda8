/**
 * An append-only file with a line for each change, compacted when most of it is outdated. Acknowledged changes are on
 * the disk. After a failed write the state of the file is unknown, so nothing is appended to it: the next write makes
 * a new file from memory.
 */
import { constants, copyFile, type FileHandle, open, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError, isAppError } from '../shared/errors.ts';
import { ifPresent } from '../shared/fs/errno.ts';
import { replaceFile } from '../shared/fs/replace-file.ts';
import type { Log } from '../shared/log.ts';
import type { Entries, Entry } from './memory.ts';

const HEADING = '{"format":"quire state 1"}\n';

/** Without an entry, the key was removed. */
export function lineOf(key: string, entry?: Entry): string {
  const start = `{"key":${JSON.stringify(key)}`;
  if (!entry) return `${start},"gone":true}\n`;
  const until = entry.expiresAt === undefined ? '' : `,"until":${entry.expiresAt}`;
  return `${start},"value":${entry.text}${until}}\n`;
}

/** Applies the changes of the journal to `entries`; returns the numbers of invalid lines, from 1. */
function replay(lines: readonly string[], entries: Entries): number[] {
  return lines.flatMap((line, at) => (apply(line, entries) ? [] : [at + 1]));
}

function apply(line: string, entries: Entries): boolean {
  let change: unknown;
  try {
    change = JSON.parse(line);
  } catch {
    return false;
  }
  if (typeof change !== 'object' || change === null) return false;
  if ('format' in change) return assertFormat(line);
  const { key, value, until, gone } = change as Record<string, unknown>;
  if (typeof key !== 'string') return false;
  if (gone === true) {
    entries.delete(key);
    return true;
  }
  if (value === undefined || (until !== undefined && typeof until !== 'number')) return false;
  entries.set(key, { text: JSON.stringify(value), expiresAt: until });
  return true;
}

function assertFormat(line: string): true {
  if (`${line}\n` === HEADING) return true;
  throw new AppError('unsupported', 'The state folder was written by another version of Quire', {
    subject: line.slice(0, 100),
    hint: 'Use the version that wrote it, or give this server a state folder of its own.',
  });
}

interface JournalOptions {
  /** Filled from the file when it is opened, and the source of a compaction. */
  readonly entries: Entries;
  readonly log: Log;
  /** Throws when another process has taken over the lock. */
  readonly assertHeld: () => Promise<void>;
}

interface PendingWrite {
  readonly line: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** A file of fewer lines is not compacted. */
const FEW_LINES = 1_000;
const ONLY_OWNER = 0o600;

export async function openJournal(file: string, options: JournalOptions) {
  const { entries, assertHeld } = options;
  let lines = await load(file, options);
  let handle: FileHandle | undefined;
  let waiting: PendingWrite[] = [];
  let writing: Promise<void> | undefined;
  let isClosed = false;

  const isMostlyOutdated = () => lines > FEW_LINES && lines > 2 * entries.size;

  const writeAnew = async () => {
    const all = [...entries.live()];
    const text = HEADING + all.map(([key, entry]) => lineOf(key, entry)).join('');
    await handle?.close();
    handle = undefined;
    await replaceFile(file, text, { lastCheck: assertHeld });
    handle = await open(file, 'a', ONLY_OWNER);
    lines = all.length + 1;
  };

  const write = async (batch: readonly PendingWrite[]) => {
    // The pending changes are in memory already, and so in a new file.
    if (!handle || isMostlyOutdated()) return writeAnew();
    try {
      await assertHeld();
      await handle.appendFile(batch.map(({ line }) => line).join(''));
      await handle.datasync();
      lines += batch.length;
    } catch (error) {
      const failed = handle;
      handle = undefined;
      await failed.close().catch(() => {});
      throw error;
    }
  };

  const writeWaiting = async () => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await write(batch);
        for (const { done } of batch) done();
      } catch (cause) {
        const error = asFailure(cause);
        options.log('error', 'the state could not be written', { error: String(cause) });
        for (const { failed } of batch) failed(error);
      }
    }
    writing = undefined;
  };

  if (isMostlyOutdated()) await writeAnew();
  else handle = await open(file, 'a', ONLY_OWNER);

  return {
    /** Resolves when the line is on the disk. */
    append(line: string): Promise<void> {
      if (isClosed) return Promise.reject(new AppError('internal', 'The state is closed'));
      return new Promise((done, failed) => {
        waiting.push({ line, done, failed });
        writing ??= Promise.resolve().then(writeWaiting);
      });
    },
    async close(): Promise<void> {
      isClosed = true;
      await writing;
      await handle?.close();
    },
  };
}

/** Throws for a journal that this version does not read; changes nothing. */
export async function assertJournal(file: string, entries: Entries): Promise<void> {
  const text = await ifPresent(readFile(file, 'utf8'));
  replay(text?.split('\n') ?? [], entries);
}

/** The number of lines; infinite when the file must be made anew. */
async function load(file: string, { entries, log }: JournalOptions): Promise<number> {
  const bytes = await ifPresent(readFile(file));
  if (!bytes || bytes.length === 0) return Number.POSITIVE_INFINITY;
  // An unfinished line may follow the whole ones.
  const wholeBytes = bytes.lastIndexOf('\n') + 1;
  const lines = bytes.toString('utf8', 0, wholeBytes).split('\n').slice(0, -1);
  const damaged = replay(lines, entries);
  if (damaged.length > 0) {
    const aside = `${file}.damaged-${Date.now()}`;
    await copyFile(file, aside, constants.COPYFILE_EXCL);
    log('error', 'lines of the state could not be read; what they said is lost to this server', {
      count: damaged.length,
      lines: damaged.slice(0, 20),
      keptAs: basename(aside),
    });
    return Number.POSITIVE_INFINITY;
  }
  if (wholeBytes < bytes.length) {
    log('info', 'the last write was cut short by a crash and is dropped; it was never acknowledged', {
      bytes: bytes.length - wholeBytes,
    });
    return Number.POSITIVE_INFINITY;
  }
  return lines.length;
}

function asFailure(cause: unknown): AppError {
  if (isAppError(cause)) return cause;
  return new AppError('internal', 'The state could not be written', {
    hint: 'Is the disk full or read-only? The log has the details.',
    cause,
  });
}
