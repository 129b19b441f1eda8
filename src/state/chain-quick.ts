/**
 * The short way to append to a chain, for whoever appended last and finds everything as it was left: one write, at
 * once, under the same lock. A line is in the file before anybody goes on; on the disk, and noted as the end, it is a
 * moment later. A crash of the process loses nothing; one of the machine at most that moment, and the chain stays whole.
 */
import { closeSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';
import { type ChainEnd, type ChainFiles, syncFile } from './chain-files.ts';
import { inTurn } from './in-turn.ts';
import { openLockNow } from './lock-now.ts';

export interface QuickChain {
  /** False when it takes the long way. `write` is called when nobody else can write; what it throws comes back. */
  append(write: (from: ChainEnd, found: FoundFile) => Written): boolean;
  /** Where the long way has just ended. */
  left(end: ChainEnd): void;
  /** Resolves once all of it is on the disk and noted. */
  flush(): Promise<void>;
}

export interface FoundFile {
  readonly ino: number;
  readonly size: number;
}

export interface Written {
  readonly text: string;
  readonly end: ChainEnd;
  /** The file grew by the text. */
  readonly done?: (place: { ino: number; from: number; to: number }) => void;
}

/** Lines that may be in the file and not be noted as its end yet. */
const MAX_UNNOTED = 128;
const NOTE_MS = 50;

interface Place extends FoundFile {
  readonly end: ChainEnd;
}

export function quickChain(files: ChainFiles, maxBytes: number): QuickChain {
  let place: Place | undefined;
  let notedSeq = 0;
  let timer: NodeJS.Timeout | undefined;
  const lockNow = openLockNow(files.lock);

  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (!place || place.end.seq <= notedSeq) return;
    const { end } = place;
    // One that has become a part meanwhile was synced then.
    await syncFile(files.current);
    await inTurn(files.lock, async () => {
      if (((await files.readEnd())?.seq ?? 0) < end.seq) await files.writeEnd(end);
    });
    notedSeq = Math.max(notedSeq, end.seq);
  };
  const noteSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      // What stays unnoted is noted by the next that is written the long way, which also says what is wrong.
      flush().catch(() => {
        place = undefined;
      });
    }, NOTE_MS).unref();
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
      const lock = lockNow.take();
      if (!lock) return false;
      try {
        const found = statIfThere(files.current);
        if (found?.ino !== before.ino || found.size !== before.size) return false;
        const { text, end, done } = write(before.end, before);
        const bytes = Buffer.from(text);
        if (before.size + bytes.length > maxBytes) return false;
        place = undefined;
        writeWhole(files.current, bytes, before.size);
        place = { ino: before.ino, size: before.size + bytes.length, end };
        done?.({ ino: before.ino, from: before.size, to: place.size });
      } finally {
        lock.release();
      }
      noteSoon();
      return true;
    },
    flush,
  };
}

function statIfThere(file: string): FoundFile | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && { ino: found.ino, size: found.size };
}

/** Nothing of it stays in the file when it cannot be written whole. */
function writeWhole(file: string, bytes: Buffer, before: number): void {
  const handle = openSync(file, 'a');
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
  } catch (error) {
    ftruncateSync(handle, before);
    throw error;
  } finally {
    closeSync(handle);
  }
}
