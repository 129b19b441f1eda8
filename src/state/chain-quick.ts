/**
 * The short way to append to a chain, for whoever appended last and finds everything as it was left: one write, at
 * once, under the same lock. A line is in the file before anybody goes on; on the disk, and noted as the end, it is a
 * moment later. A crash of the process loses nothing; one of the machine at most that moment, and the chain stays whole.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';
import { openSyncLock } from '../shared/fs/lock-file.ts';
import { type ChainEnd, type ChainFiles, syncFile } from './chain-files.ts';
import type { FileMutex } from './file-mutex.ts';

interface QuickChain {
  /** False when it takes the long way. `write` is called when nobody else can write; what it throws comes back. */
  append(write: (from: ChainEnd, found: ChainFileState) => WriteResult): boolean;
  /** Where the long way has just ended. */
  left(end: ChainEnd): void;
  /** Resolves once all of it is on the disk and noted. */
  flush(): Promise<void>;
}

export interface ChainFileState {
  readonly ino: number;
  readonly size: number;
}

interface WriteResult {
  readonly text: string;
  readonly end: ChainEnd;
  /** The file grew by the text. */
  readonly done?: (place: { ino: number; from: number; to: number }) => void;
}

/** Lines that may be in the file and not be noted as its end yet. */
const MAX_UNNOTED = 240;
const NOTE_MS = 50;
/** When there are so many, it is time. */
const NOTE_LINES = 140;

interface Place extends ChainFileState {
  readonly end: ChainEnd;
}

interface QuickChainOptions {
  readonly maxBytes: number;
  /** Of the long way. */
  readonly inMutex: FileMutex;
}

export function quickChain(files: ChainFiles, { maxBytes, inMutex }: QuickChainOptions): QuickChain {
  let place: Place | undefined;
  let notedSeq = 0;
  let timer: NodeJS.Timeout | undefined;
  const syncLock = openSyncLock(files.lock);
  const file = openKept(files.current);

  let isNoting = false;
  let noted = Promise.resolve();

  const note = async (end: ChainEnd) => {
    // One that has become a part meanwhile was synced then.
    await syncFile(files.current);
    const lock = syncLock.tryAcquire();
    if (lock)
      try {
        files.writeEndNow(end);
      } finally {
        lock.release();
      }
    else await inMutex(async () => files.writeEndNow(end));
    await files.syncEnd();
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
    isNoting = true;
    noted = noted
      .catch(() => {})
      .then(noteAll)
      .finally(() => {
        isNoting = false;
      });
    return noted;
  };
  // What stays unnoted is noted by the next that is written the long way, which also says what is wrong.
  const flushQuietly = () =>
    void flush().catch(() => {
      place = undefined;
    });
  const noteSoon = (unnoted: number) => {
    if (unnoted >= NOTE_LINES && !isNoting) flushQuietly();
    else timer ??= setTimeout(flushQuietly, NOTE_MS).unref();
  };

  return {
    left(end) {
      notedSeq = end.seq;
      const found = statIfThere(files.current);
      place = found && { ...found, end };
    },
    append(write) {
      const before = place;
      if (!before || before.end.seq - notedSeq >= MAX_UNNOTED) return false;
      const lock = syncLock.tryAcquire();
      if (!lock) return false;
      try {
        const found = statIfThere(files.current);
        if (found?.ino !== before.ino || found.size !== before.size) return false;
        const { text, end, done } = write(before.end, before);
        const bytes = Buffer.from(text);
        if (before.size + bytes.length > maxBytes) return false;
        place = undefined;
        file.append(bytes, before);
        place = { ino: before.ino, size: before.size + bytes.length, end };
        done?.({ ino: before.ino, from: before.size, to: place.size });
      } finally {
        lock.release();
      }
      noteSoon(place.end.seq - notedSeq);
      return true;
    },
    flush,
  };
}

function statIfThere(file: string): ChainFileState | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && { ino: found.ino, size: found.size };
}

/** A file that stays open from one write to the next, until another one is in its place. */
function openKept(path: string): { append(bytes: Buffer, before: ChainFileState): void; close(): void } {
  let kept: { readonly handle: number; readonly ino: number } | undefined;
  const close = () => {
    if (kept) closeSync(kept.handle);
    kept = undefined;
  };
  return {
    close,
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

/** Nothing of it stays in the file when it cannot be written whole. */
function writeWhole(handle: number, bytes: Buffer, before: number): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
  } catch (error) {
    ftruncateSync(handle, before);
    throw error;
  }
}
