/**
 * A hash chain: an append-only log in which each line has the hash of the one before, so that a later change shows.
 * A note beside it has the last hash, so that a missing end shows too. Several processes may append. Acknowledged
 * lines are on the disk.
 */
import { basename } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { makePrivateFolder } from '../shared/fs/private.ts';
import {
  type ChainEnd,
  type ChainEntry,
  type ChainFileState,
  type ChainFiles,
  type ChainPart,
  ChainWriter,
  chainFiles,
  FIRST_PREV,
  hashOf,
  readChainLine,
} from './chain-files.ts';
import { type FollowOptions, followChain } from './chain-follow.ts';
import { quickChain } from './chain-quick.ts';
import { createFileMutex } from './file-mutex.ts';
import { appendLines, cutTo, type LineTail, readTail } from './line-file.ts';

export interface ChainOptions {
  readonly folder: string;
  /** The name of its files. */
  readonly name: string;
  readonly now?: () => number;
  /** The file is rotated before it grows larger. */
  readonly maxBytes?: number;
  /** The number of rotated files to keep; the chain has a line about the removal of older ones. */
  readonly keepParts?: number;
  /** Acknowledged lines are in the file, and on the disk a moment later. */
  readonly quick?: boolean;
  /** Reports the lines of all processes, at `catchUp` and before `mayAppend` is called. */
  readonly follow?: FollowOptions;
}

const MAX_BYTES = 8 * 1024 * 1024;
const KEEP_PARTS = 16;
const TORN_SHOWN = 400;
/** The most lines beyond the noted end, as a crash can leave them. */
const MAX_UNNOTED = 256;

export function openChain(options: ChainOptions) {
  const { folder, name, now = Date.now, maxBytes = MAX_BYTES, keepParts = KEEP_PARTS } = options;
  const files = chainFiles(folder, name);
  const inMutex = createFileMutex(files.lock);
  const follower = options.follow && followChain(files.current, options.follow);
  const quick = options.quick
    ? quickChain(files, { maxBytes, inMutex, onWritten: follower?.wrote })
    : undefined;
  const writerAt = (end: ChainEnd) => new ChainWriter(end, new Date(now()).toISOString());

  const appendSlowly = async (assertMay: () => void, entries: readonly ChainEntry[]) => {
    await makePrivateFolder(folder);
    await inMutex(async ({ assertHeld }) => {
      assertMay();
      const tail = await readTail(files.current);
      const parts = await files.parts();
      const writer = writerAt(await endNow(files, tail, parts));
      if (tail.torn.length > 0) {
        await cutTo(files.current, tail.wholeBytes, assertHeld);
        writer.add(repairOf(tail.torn));
      }
      const last = tail.last === undefined ? undefined : readChainLine(tail.last)?.seq;
      if (last !== undefined && tail.wholeBytes + JSON.stringify(entries).length > maxBytes) {
        await assertHeld();
        writer.add(await rotate(files, parts, last, keepParts));
      }
      for (const entry of entries) writer.add(entry);
      await appendLines(files.current, writer.text, assertHeld);
      await files.writeEnd(writer.end);
      quick?.left(writer.end);
    });
  };

  /** Appends if `mayAppend`, called under the lock, returns true; resolves to whether it did. */
  const appendIf = async (mayAppend: () => boolean, ...entries: ChainEntry[]): Promise<boolean> => {
    const assertMay = (found?: ChainFileState) => {
      follower?.catchUp(found);
      if (!mayAppend()) throw new NotAppended();
    };
    const write = (from: ChainEnd, found: ChainFileState) => {
      assertMay(found);
      const writer = writerAt(from);
      for (const entry of entries) writer.add(entry);
      return writer;
    };
    try {
      if (!quick?.append(write)) await appendSlowly(assertMay, entries);
      return true;
    } catch (error) {
      if (error instanceof NotAppended) return false;
      throw error;
    }
  };

  return {
    appendIf,
    /** Resolves when the lines are on the disk, or with `quick` in the file. */
    append: async (...entries: ChainEntry[]) => void (await appendIf(() => true, ...entries)),
    catchUp: () => follower?.catchUp(),
    /** Resolves once everything is on the disk. */
    flush: async () => quick?.flush(),
  };
}

/** Leaves the critical section without a write. */
class NotAppended extends Error {}

/** For a line that is unfinished, and so was never acknowledged. */
function repairOf(torn: Buffer) {
  return {
    event: 'repaired',
    bytes: torn.length,
    sha256: hashOf(torn.toString('utf8')),
    text: torn.toString('utf8', 0, TORN_SHOWN),
  };
}

async function rotate(files: ChainFiles, parts: readonly ChainPart[], last: number, keepParts: number) {
  await files.rotate(last);
  const all = [...parts.map((part) => part.last), last];
  const gone = all.slice(0, Math.max(0, all.length - keepParts));
  // After a crash before the line is written, the next rotation finds the parts again.
  await files.remove(parts.filter((part) => gone.includes(part.last)));
  return { event: 'rotated', oldest: (gone.at(-1) ?? 0) + 1 };
}

/** The end of the chain; throws when it is not the noted one. */
async function endNow(files: ChainFiles, tail: LineTail, parts: readonly ChainPart[]): Promise<ChainEnd> {
  const noted = await files.readEnd();
  const newest = parts.at(-1);
  const last = tail.last ?? (newest && (await readTail(newest.file)).last);
  const found = last === undefined ? { seq: 0, hash: FIRST_PREV } : endOfLine(last);
  const from = noted ?? { seq: 0, hash: FIRST_PREV };
  const isAsLeft = found?.seq === from.seq && found.hash === from.hash;
  const isJustAhead = found !== undefined && found.seq > from.seq && found.seq <= from.seq + MAX_UNNOTED;
  if (found && (isAsLeft || isJustAhead)) return found;
  throw notAsLeft(files, found, noted);
}

function endOfLine(line: string): ChainEnd | undefined {
  const read = readChainLine(line);
  return read && { seq: read.seq, hash: hashOf(line) };
}

function notAsLeft(files: ChainFiles, found: ChainEnd | undefined, noted: ChainEnd | undefined): AppError {
  return new AppError('conflict', 'The log does not end as it was left, so nothing is added to it', {
    subject: `${basename(files.current)} ends at line ${found?.seq ?? '?'}, ${noted?.seq ?? 'no'} was noted`,
    hint: 'Find out who changed it. Then move it, its parts and its .end file away: a new log begins.',
  });
}
