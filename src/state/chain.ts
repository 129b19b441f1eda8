/**
 * A hash chain: an append-only log in which each line has the hash of the one before, so that a later change shows.
 * A note beside it has the last hash, so that a missing end shows too. Several processes may append. Acknowledged
 * lines are on the disk.
 */
import { AppError } from '../shared/errors.ts';
import type { LockedSection } from '../shared/fs/lock-file.ts';
import { makePrivateFolder } from '../shared/fs/private.ts';
import {
  type ChainEnd,
  type ChainFiles,
  type ChainLine,
  type ChainPart,
  chainFiles,
  FIRST_PREV,
  hashOf,
  readChainLine,
} from './chain-files.ts';
import { type ChainFollower, type FollowOptions, followChain } from './chain-follow.ts';
import { type ChainFileState, quickChain } from './chain-quick.ts';
import { createFileMutex } from './file-mutex.ts';
import { appendLines, cutTo, type LineTail, MAX_LINE_BYTES, readTail } from './line-file.ts';

/** Plain data. */
type ChainEntry = object & { readonly event: string };

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

interface Chain {
  /** Resolves when the lines are on the disk, or with `quick` in the file. */
  append(...entries: ChainEntry[]): Promise<void>;
  /** Appends if `mayAppend`, called under the lock, returns true; resolves to whether it did. */
  appendIf(mayAppend: () => boolean, ...entries: ChainEntry[]): Promise<boolean>;
  catchUp(): void;
  /** Resolves once everything is on the disk. */
  flush(): Promise<void>;
}

const MAX_BYTES = 8 * 1024 * 1024;
const KEEP_PARTS = 16;
const TORN_SHOWN = 400;
/** The most lines beyond the noted end, as a crash can leave them. */
const MAX_UNNOTED = 256;

export function openChain(options: ChainOptions): Chain {
  const { folder, name, now = Date.now, maxBytes = MAX_BYTES, keepParts = KEEP_PARTS } = options;
  const files = chainFiles(folder, name);
  const inMutex = createFileMutex(files.lock);
  const limits = { maxBytes, keepParts };
  const quick = options.quick === true ? quickChain(files, { maxBytes, inMutex }) : undefined;
  const follower = options.follow && followChain(files.current, options.follow);
  const time = () => new Date(now()).toISOString();

  const appendIf = async (mayAppend: () => boolean, ...entries: ChainEntry[]): Promise<boolean> => {
    const assertMay = (found?: ChainFileState) => {
      follower?.catchUp(found);
      if (!mayAppend()) throw new NotAppended();
    };
    const linesOf = (from: ChainEnd, found: ChainFileState) => {
      assertMay(found);
      const writer = createWriter(from, time());
      for (const entry of entries) writer.add(entry);
      return { text: writer.text(), end: writer.end(), ...reportTo(follower, writer.lines()) };
    };
    try {
      if (quick?.append(linesOf)) return true;
      await makePrivateFolder(folder);
      await inMutex(async (section) => {
        assertMay();
        const tail = await readTail(files.current);
        const parts = await files.parts();
        const end = await endNow(files, tail, parts);
        const writer = createWriter(end, time());
        await repair(files, tail, { section, writer });
        await rotateIfFull(files, parts, { section, writer, tail, entries, limits });
        for (const entry of entries) writer.add(entry);
        await appendLines(files.current, writer.text(), section.assertHeld);
        await files.writeEnd(writer.end());
        quick?.left(writer.end());
      });
      return true;
    } catch (error) {
      if (error instanceof NotAppended) return false;
      throw error;
    }
  };
  return {
    flush: async () => quick?.flush(),
    catchUp: () => follower?.catchUp(),
    appendIf,
    append: async (...entries) => void (await appendIf(() => true, ...entries)),
  };
}

/** Leaves the critical section without a write. */
class NotAppended extends Error {}

function reportTo(follower: ChainFollower | undefined, lines: readonly ChainLine[]) {
  return follower
    ? { done: (place: Parameters<ChainFollower['wrote']>[1]) => follower.wrote(lines, place) }
    : {};
}

interface Writer {
  add<E extends ChainEntry>(entry: E): void;
  /** The lines to write. */
  text(): string;
  lines(): readonly ChainLine[];
  end(): ChainEnd;
}

function createWriter(from: ChainEnd, time: string): Writer {
  let { seq, hash: last } = from;
  let text = '';
  const lines: ChainLine[] = [];
  return {
    add(entry) {
      const read: ChainLine = { seq: seq + 1, time, ...entry, prev: last };
      const line = JSON.stringify(read);
      if (Buffer.byteLength(line) > MAX_LINE_BYTES)
        throw new AppError('invalid_input', 'This is too large for a line of the log', {
          subject: `${line.length} characters`,
          reason: 'too_large',
        });
      seq++;
      last = hashOf(line);
      text += `${line}\n`;
      lines.push(read);
    },
    text: () => text,
    lines: () => lines,
    end: () => ({ seq, hash: last }),
  };
}

/** Removes an unfinished line, which was never acknowledged, and appends a line about that. */
async function repair(
  files: ChainFiles,
  { torn, wholeBytes }: LineTail,
  { section, writer }: { section: LockedSection; writer: Writer },
): Promise<void> {
  if (torn.length === 0) return;
  await cutTo(files.current, wholeBytes, section.assertHeld);
  writer.add({
    event: 'repaired',
    bytes: torn.length,
    sha256: hashOf(torn.toString('utf8')),
    text: torn.toString('utf8', 0, TORN_SHOWN),
  });
}

interface Rotation {
  readonly section: LockedSection;
  readonly writer: Writer;
  readonly tail: LineTail;
  readonly entries: readonly ChainEntry[];
  readonly limits: { readonly maxBytes: number; readonly keepParts: number };
}

async function rotateIfFull(
  files: ChainFiles,
  parts: readonly ChainPart[],
  { section, writer, tail, entries, limits }: Rotation,
): Promise<void> {
  const size = tail.wholeBytes + JSON.stringify(entries).length;
  const last = tail.last === undefined ? undefined : readChainLine(tail.last)?.seq;
  if (last === undefined || size <= limits.maxBytes) return;
  await section.assertHeld();
  await files.rotate(last);
  const all = [...parts.map((part) => part.last), last];
  const gone = all.slice(0, Math.max(0, all.length - limits.keepParts));
  writer.add({ event: 'rotated', oldest: (gone.at(-1) ?? 0) + 1 });
  // After a crash before the line is written, the next rotation finds the parts again.
  await files.remove(parts.filter((part) => gone.includes(part.last)));
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
  const name = files.current.split(/[\\/]/).at(-1);
  return new AppError('conflict', 'The log does not end as it was left, so nothing is added to it', {
    subject: `${name} ends at line ${found?.seq ?? '?'}, ${noted?.seq ?? 'no'} was noted`,
    hint: 'Find out who changed it. Then move it, its parts and its .end file away: a new log begins.',
  });
}
