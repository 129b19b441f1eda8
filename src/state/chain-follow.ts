/**
 * Reports the lines that any process appends to a chain, on demand. As long as no other process writes, that costs
 * one `stat` of the file.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type ChainFileState, type ChainLine, readChainLine } from './chain-files.ts';

export interface FollowOptions {
  /** The earliest time of lines to report that were there before. */
  readonly since: () => number;
  readonly onLine: (line: Pick<ChainLine, 'time' | 'event'>) => void;
}

const NEWLINE = 10;
const BLOCK = 256 * 1024;

export function followChain(current: string, { since, onLine }: FollowOptions) {
  let known: { readonly ino: number; readonly to: number } | undefined;

  /** Reports whole lines from an offset on; returns where they end. */
  const readOn = (file: string, from: number): { ino: number; to: number } | undefined =>
    withFile(file, (handle) => {
      const { ino, size } = fstatSync(handle);
      let at = from;
      for (let bytes = blockAt(handle, at, size); bytes.length > 0; bytes = blockAt(handle, at, size)) {
        const end = bytes.lastIndexOf(NEWLINE) + 1;
        if (end === 0) break;
        for (const line of bytes.toString('utf8', 0, end).split('\n')) tellLine(line);
        at += end;
      }
      return { ino, to: at };
    });
  const tellLine = (text: string) => {
    const line = readChainLine(text);
    if (line) onLine(line);
  };
  const begin = () => {
    for (const file of [newestPart(current), current])
      if (file !== undefined) known = readOn(file, firstSince(file, since())) ?? known;
  };

  return {
    /** `seen` is the present state of the file, if the caller has it. */
    catchUp(seen?: Pick<ChainFileState, 'ino' | 'size'>) {
      if (!known) return begin();
      const found = seen ?? statSync(current, { throwIfNoEntry: false });
      if (!found || (found.ino === known.ino && found.size === known.to)) return;
      if (found.ino === known.ino) {
        known = readOn(current, known.to) ?? known;
        return;
      }
      // The file has become a part: its new lines come first.
      const part = newestPart(current);
      if (part !== undefined && statSync(part, { throwIfNoEntry: false })?.ino === known.ino)
        readOn(part, known.to);
      known = readOn(current, 0);
    },
    /** For lines of our own, which need not be read again if all lines before them are known. */
    wrote(lines: readonly ChainLine[], { ino, size: from }: ChainFileState, to: number): void {
      if (known?.ino !== ino || known.to !== from) return;
      for (const line of lines) onLine(line);
      known = { ino, to };
    },
  };
}

function withFile<T>(file: string, work: (handle: number) => T): T | undefined {
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch {
    return undefined;
  }
  try {
    return work(handle);
  } finally {
    closeSync(handle);
  }
}

function blockAt(handle: number, at: number, end: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, Math.min(2 * BLOCK, end - at)));
  return bytes.subarray(0, bytes.length === 0 ? 0 : readSync(handle, bytes, 0, bytes.length, at));
}

/** An offset at or before the first line of that time, searched from the end of the file. */
function firstSince(file: string, since: number): number {
  const found = withFile(file, (handle) => {
    let start = fstatSync(handle).size;
    while (start > 0) {
      start = Math.max(0, start - BLOCK);
      const bytes = blockAt(handle, start, start + BLOCK);
      const skipped = start === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
      const end = bytes.indexOf(NEWLINE, skipped);
      const first = readChainLine(bytes.toString('utf8', skipped, Math.max(skipped, end)));
      if (first && Date.parse(first.time) < since) return start + skipped;
    }
    return 0;
  });
  return found ?? 0;
}

function newestPart(current: string): string | undefined {
  const folder = dirname(current);
  const stem = basename(current, '.jsonl');
  try {
    const parts = readdirSync(folder).filter(
      (name) => name.startsWith(`${stem}-`) && name.endsWith('.jsonl'),
    );
    const newest = parts.sort().at(-1);
    return newest === undefined ? undefined : join(folder, newest);
  } catch {
    return undefined;
  }
}
