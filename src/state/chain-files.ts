/** The files of a hash chain: the one that is appended to, the rotated parts, and a note of the last line. */
import { hash } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { open, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { ifPresent } from '../shared/fs/errno.ts';
import { renameEntry } from '../shared/fs/platform.ts';
import { syncFolder } from '../shared/fs/replace-file.ts';
import { MAX_LINE_BYTES } from './line-file.ts';

export interface ChainPart {
  readonly file: string;
  /** The number of its last line. */
  readonly last: number;
  readonly modifiedAt: number;
}

/** Plain data. */
export type ChainEntry = object & { readonly event: string };

export interface ChainLine {
  readonly seq: number;
  /** ISO 8601. */
  readonly time: string;
  readonly event: string;
  /** Hash of the line before. */
  readonly prev: string;
  readonly [field: string]: unknown;
}

export const FIRST_PREV = '0'.repeat(64);

export function hashOf(line: string): string {
  return hash('sha256', line);
}

export function readChainLine(line: string): ChainLine | undefined {
  try {
    const read = JSON.parse(line) as ChainLine;
    return Number.isSafeInteger(read?.seq) && typeof read.prev === 'string' ? read : undefined;
  } catch {
    return undefined;
  }
}

/** What shows whether a file has been replaced or has grown. */
export interface ChainFileState {
  readonly ino: number;
  readonly size: number;
}

/** The last line that was acknowledged. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

/** The lines of one append, as they are added to the end of a chain. */
export class ChainWriter {
  text = '';
  end: ChainEnd;
  readonly lines: ChainLine[] = [];
  readonly #time: string;

  constructor(end: ChainEnd, time: string) {
    this.end = end;
    this.#time = time;
  }

  add(entry: ChainEntry): void {
    const seq = this.end.seq + 1;
    const line: ChainLine = { seq, time: this.#time, ...entry, prev: this.end.hash };
    const json = JSON.stringify(line);
    if (Buffer.byteLength(json) > MAX_LINE_BYTES)
      throw new AppError('invalid_input', 'This is too large for a line of the log', {
        subject: `${json.length} characters`,
        reason: 'too_large',
      });
    this.end = { seq, hash: hashOf(json) };
    this.text += `${json}\n`;
    this.lines.push(line);
  }
}

const END_BYTES = 128;
const DIGITS = 12;

export type ChainFiles = ReturnType<typeof chainFiles>;

export function chainFiles(folder: string, name: string) {
  const current = join(folder, `${name}.jsonl`);
  const endFile = join(folder, `${name}.end`);
  const isPart = new RegExp(`^${name}-(\\d{${DIGITS}})\\.jsonl$`);
  return {
    /** The file that is appended to. */
    current,
    lock: `${current}.lock`,
    /** The rotated files, oldest first. */
    async parts(): Promise<ChainPart[]> {
      const names = ((await ifPresent(readdir(folder))) ?? []).filter((one) => isPart.test(one)).sort();
      return Promise.all(names.map((one) => partOf(join(folder, one), Number(isPart.exec(one)?.[1]))));
    },
    readEnd: async () => endOf(await ifPresent(readFile(endFile, 'utf8'))),
    writeEnd: (end: ChainEnd) => overwrite(endFile, textOf(end)),
    /** Synchronous, and without effect when a later end is noted; on the disk after `syncEnd`. */
    writeEndNow: (end: ChainEnd) => advance(endFile, end),
    syncEnd: () => syncFile(endFile),
    /** Makes the current file one of the parts. */
    async rotate(last: number): Promise<void> {
      await syncFile(current);
      await renameEntry(current, join(folder, `${name}-${String(last).padStart(DIGITS, '0')}.jsonl`));
      await syncFolder(folder);
    },
    async remove(parts: readonly ChainPart[]): Promise<void> {
      for (const { file } of parts) await ifPresent(unlink(file));
    },
  };
}

/** Does nothing for a missing file. */
export async function syncFile(file: string): Promise<void> {
  const handle = await ifPresent(open(file, 'r+'));
  try {
    await handle?.datasync();
  } finally {
    await handle?.close();
  }
}

async function partOf(file: string, last: number): Promise<ChainPart> {
  return { file, last, modifiedAt: (await ifPresent(stat(file)))?.mtimeMs ?? 0 };
}

function endOf(text: string | undefined): ChainEnd | undefined {
  try {
    const { seq, hash } = JSON.parse(text ?? '') as Partial<ChainEnd>;
    return typeof seq === 'number' && typeof hash === 'string' ? { seq, hash } : undefined;
  } catch {
    return undefined;
  }
}

function textOf(end: ChainEnd): string {
  return `${JSON.stringify(end).padEnd(END_BYTES - 1)}\n`;
}

function advance(file: string, end: ChainEnd): void {
  const handle = openSync(file, 'r+');
  try {
    const bytes = Buffer.alloc(END_BYTES);
    const before = endOf(bytes.toString('utf8', 0, readSync(handle, bytes, 0, END_BYTES, 0)));
    if ((before?.seq ?? 0) < end.seq) writeSync(handle, textOf(end), 0);
  } finally {
    closeSync(handle);
  }
}

/** In place and of one length, so that a crash leaves the old note or the new one. */
async function overwrite(file: string, text: string): Promise<void> {
  const there = await ifPresent(open(file, 'r+'));
  const handle = there ?? (await open(file, 'wx', 0o600));
  try {
    await handle.write(text, 0);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
