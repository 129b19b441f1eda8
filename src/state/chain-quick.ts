/**
 * The fast path of appending to a chain, for the process that appended last and finds the files unchanged: one
 * synchronous write, under the same lock. The lock is kept for a moment, since the end of a call mostly follows its
 * beginning within it. A line is in the file when it is acknowledged; it is flushed, and noted as the end, a moment
 * later. A crash of the process loses nothing; one of the machine at most that moment, and the chain stays valid.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';
import { type FileLock, openSyncLock } from '../shared/fs/lock-file.ts';
import {
  type ChainEnd,
  type ChainFileState,
  type ChainFiles,
  type ChainLine,
  type ChainWriter,
  syncFile,
} from './chain-files.ts';
import type { FileMutex } from './file-mutex.ts';

/** The most lines in the file beyond the noted end. */
const MAX_UNNOTED = 240;
const NOTE_MS = 50;
/** With so many lines beyond it, the end is noted. */
const NOTE_LINES = 140;
/** The lock is given back after this time. */
const KEEP_LOCK_MS = 2;
/** So long after a write under the lock nobody else can have it: a lock of a live process is far older when it is taken over. */
const TRUST_LOCK_MS = 4;

export interface Place extends ChainFileState {
  readonly end: ChainEnd;
}

interface QuickChainOptions {
  readonly maxBytes: number;
  /** The mutex of the slow path. */
  readonly inMutex: FileMutex;
  /** Called when the file has grown from `before` to `size`. */
  readonly onWritten?: (lines: readonly ChainLine[], before: ChainFileState, size: number) => void;
  /** Called when the end is on the disk. */
  readonly onNoted?: (end: ChainEnd) => void;
}

export function quickChain(files: ChainFiles, { maxBytes, inMutex, onWritten, onNoted }: QuickChainOptions) {
  let place: Place | undefined;
  let notedSeq = 0;
  let timer: NodeJS.Timeout | undefined;
  const syncLock = openSyncLock(files.lock);
  const file = openKept(files.current);
  let kept: FileLock | undefined;
  let keeping: NodeJS.Timeout | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;
  /** Whether the file was written to since its state was read. */
  let isWritten = false;
  const readState = () => {
    const now = isWritten ? file.state() : place;
    isWritten = false;
    place = place && now?.size === place.size ? { ...now, end: place.end } : undefined;
  };
  const giveBack = () => {
    clearTimeout(keeping);
    writtenAt = Number.NEGATIVE_INFINITY;
    readState();
    kept?.release();
    kept = undefined;
  };
  const take = (): boolean => {
    readState();
    if (kept?.isHeld()) return true;
    giveBack();
    kept = syncLock.tryAcquire();
    if (kept) keeping = setTimeout(giveBack, KEEP_LOCK_MS);
    return kept !== undefined;
  };

  let isNoting = false;
  let noted = Promise.resolve();

  const note = async (end: ChainEnd) => {
    // A file that has become a part meanwhile was flushed then.
    await syncFile(files.current);
    if (take())
      try {
        files.writeEndNow(end);
      } finally {
        giveBack();
      }
    else await inMutex(async () => files.writeEndNow(end));
    await files.syncEnd(end);
    onNoted?.(end);
    notedSeq = Math.max(notedSeq, end.seq);
  };
  const noteAll = async () => {
    if (place && place.end.seq > notedSeq) await note(place.end);
    if (place && place.end.seq > notedSeq) return;
    file.close();
    syncLock.close();
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    giveBack();
    isNoting = true;
    noted = noted
      .catch(() => {})
      .then(noteAll)
      .finally(() => {
        isNoting = false;
      });
    return noted;
  };
  // On failure the next append by the slow path notes the end, and reports the problem.
  const flushQuietly = () =>
    void flush().catch(() => {
      place = undefined;
    });
  const noteSoon = (unnoted: number) => {
    if (unnoted >= NOTE_LINES && !isNoting) flushQuietly();
    else timer ??= setTimeout(flushQuietly, NOTE_MS).unref();
  };

  return {
    /** The end after an append by the slow path. */
    left(end: ChainEnd): void {
      notedSeq = end.seq;
      const found = statIfThere(files.current);
      place = found && { ...found, end };
    },
    /** The file as this process left it. */
    place: (): Place | undefined => {
      giveBack();
      return place;
    },
    /** False when the slow path is needed. `write` is called under the lock; its error is passed on. */
    append(write: (from: ChainEnd, found: ChainFileState) => ChainWriter): boolean {
      const isOurs = performance.now() - writtenAt < TRUST_LOCK_MS;
      if (!isOurs && (!place || !take())) return false;
      const before = place;
      let isDone = false;
      try {
        if (!before || before.end.seq - notedSeq >= MAX_UNNOTED) return false;
        if (!isOurs && !isSame(statIfThere(files.current), before)) return false;
        const { text, end, lines } = write(before.end, before);
        const bytes = Buffer.from(text);
        if (before.size + bytes.length > maxBytes) return false;
        place = undefined;
        file.append(bytes, before);
        place = { ...before, size: before.size + bytes.length, end };
        isWritten = true;
        writtenAt = performance.now();
        isDone = true;
        onWritten?.(lines, before, place.size);
      } finally {
        // The slow path takes the lock itself.
        if (!isDone) giveBack();
      }
      noteSoon(place.end.seq - notedSeq);
      return true;
    },
    /** Resolves when all lines are on the disk and the end is noted. */
    flush,
  };
}

function statIfThere(file: string): ChainFileState | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && stateOf(found);
}

function stateOf({ ino, size, ctimeMs }: ChainFileState): ChainFileState {
  return { ino, size, ctimeMs };
}

/** A file that was written to in its middle has another time of change. */
function isSame(found: ChainFileState | undefined, before: ChainFileState): boolean {
  return found?.ino === before.ino && found.size === before.size && found.ctimeMs === before.ctimeMs;
}

/** A file that stays open between writes, until it is replaced. */
function openKept(path: string): {
  append(bytes: Buffer, before: ChainFileState): void;
  /** Undefined when it is not open. */
  state(): ChainFileState | undefined;
  close(): void;
} {
  let kept: { readonly handle: number; readonly ino: number } | undefined;
  const close = () => {
    if (kept) closeSync(kept.handle);
    kept = undefined;
  };
  return {
    close,
    state: () => kept && stateOf(fstatSync(kept.handle)),
    append(bytes, { ino, size }) {
      if (kept?.ino !== ino) {
        close();
        const handle = openSync(path, 'a');
        kept = { handle, ino: fstatSync(handle).ino };
      }
      try {
        writeWhole(kept.handle, bytes, size);
      } catch (error) {
        close();
        throw error;
      }
    },
  };
}

/** Truncates the file again when the bytes cannot be written whole. */
function writeWhole(handle: number, bytes: Buffer, before: number): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
  } catch (error) {
    ftruncateSync(handle, before);
    throw error;
  }
}
