/**
 * A file that grows by a line for each change and is written anew when most of it is outdated. What was
 * acknowledged is on the disk. After a failed write nothing is appended any more, since nobody knows what the
 * disk has of it: the next write makes the file anew from memory.
 */
import { constants, copyFile, type FileHandle, open, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { ifPresent } from '../shared/errno.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { Entries } from './entries.ts';
import { HEADING, putLine, replay } from './journal-lines.ts';
import { replaceFile } from './replace-file.ts';

export interface Journal {
  /** Resolves when the line is on the disk. */
  append(line: string): Promise<void>;
  close(): Promise<void>;
}

export interface JournalOptions {
  /** Filled from the file when it is opened; written from when it is made anew. */
  readonly entries: Entries;
  readonly log: Log;
  /** Throws when the file belongs to somebody else by now. */
  readonly assertOurs: () => Promise<void>;
}

interface Waiting {
  readonly line: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Fewer lines are not worth a new file. */
const FEW_LINES = 1_000;
const ONLY_OWNER = 0o600;

export async function openJournal(file: string, options: JournalOptions): Promise<Journal> {
  const { entries, assertOurs } = options;
  let lines = await load(file, options);
  let handle: FileHandle | undefined;
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let isClosed = false;

  const isMostlyOutdated = () => lines > FEW_LINES && lines > 2 * entries.size;

  const writeAnew = async () => {
    const all = [...entries.live()];
    const text = HEADING + all.map(([key, entry]) => putLine(key, entry)).join('');
    await handle?.close();
    handle = undefined;
    handle = await replaceFile(file, text, assertOurs);
    lines = all.length + 1;
  };

  const write = async (batch: readonly Waiting[]) => {
    // What waits has happened in memory already, so a new file holds it.
    if (!handle || isMostlyOutdated()) return writeAnew();
    try {
      await assertOurs();
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
    append(line) {
      if (isClosed) return Promise.reject(new AppError('internal', 'The state is closed'));
      return new Promise((done, failed) => {
        waiting.push({ line, done, failed });
        writing ??= Promise.resolve().then(writeWaiting);
      });
    },
    async close() {
      isClosed = true;
      await writing;
      await handle?.close();
    },
  };
}

/** How many lines the file has; without end when it must be made anew. */
async function load(file: string, { entries, log }: JournalOptions): Promise<number> {
  const bytes = await ifPresent(readFile(file));
  if (!bytes || bytes.length === 0) return Number.POSITIVE_INFINITY;
  const { lines, damaged, wholeBytes } = replay(bytes, entries);
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
    log('info', 'the last write was cut short by a crash and is dropped; nobody was told it had happened', {
      bytes: bytes.length - wholeBytes,
    });
    return Number.POSITIVE_INFINITY;
  }
  return lines;
}

function asFailure(cause: unknown): AppError {
  if (isAppError(cause)) return cause;
  return new AppError('internal', 'The state could not be written', {
    hint: 'Is the disk full or read-only? The log has the details.',
    cause,
  });
}
