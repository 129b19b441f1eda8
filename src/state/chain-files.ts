/** The files of a hash chain: the one that is appended to, the rotated parts, and a note of the last line. */
import { hash } from 'node:crypto';
import { mkdir, open, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { ifPresent } from '../shared/fs/errno.ts';
import { renameEntry } from '../shared/fs/platform.ts';
import { syncFolder } from '../shared/fs/replace-file.ts';
import {
  advance,
  type ChainEnd,
  type ChainSeal,
  endOf,
  outsideHead,
  overwriteEnd,
  sealed,
} from './chain-seal.ts';
import { MAX_LINE_BYTES } from './line-file.ts';

export type { ChainEnd } from './chain-seal.ts';

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

export function hashOf(line: string | Buffer): string {
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

/** What shows whether a file has been replaced, has grown, or was written to in its middle. */
export interface ChainFileState {
  readonly ino: number;
  readonly size: number;
  /** Unlike the time of modification nobody can set it. */
  readonly ctimeMs: number;
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

const DIGITS = 12;

export type ChainFiles = ReturnType<typeof chainFiles>;

/** `sealOf` is asked at every use: the key is read after the files are opened. */
export function chainFiles(
  folder: string,
  name: string,
  sealOf: () => ChainSeal | undefined = () => undefined,
) {
  const current = join(folder, `${name}.jsonl`);
  const endFile = join(folder, `${name}.end`);
  const outside = () => {
    const seal = sealOf();
    return seal && outsideHead(seal, folder, name);
  };
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
    /** The copy of the end outside the state folder. */
    readOutside: async () => outside()?.read(),
    async writeEnd(end: ChainEnd): Promise<void> {
      const made = sealed(end, sealOf()?.key);
      await overwriteEnd(endFile, made);
      await outside()?.write(made);
    },
    /** Synchronous, and without effect when a later end is noted; on the disk after `syncEnd`. */
    writeEndNow: (end: ChainEnd) => advance(endFile, sealed(end, sealOf()?.key)),
    /** The copy outside comes second, so that it is never ahead of the end after a crash. */
    async syncEnd(end: ChainEnd): Promise<void> {
      await syncFile(endFile);
      await outside()?.write(sealed(end, sealOf()?.key));
    },
    stampsFile: () => outside()?.stampsFile(),
    /** Moves all files into a folder beside them; a crash in the middle leaves a chain that is still broken. */
    async setAside(at: string): Promise<string> {
      const kept = `${name}-kept-${at.replace(/[^0-9TZ]/g, '')}`;
      await mkdir(join(folder, kept), { mode: 0o700 });
      const parts = ((await ifPresent(readdir(folder))) ?? []).filter((one) => isPart.test(one));
      for (const one of [...parts, basename(current), basename(endFile)])
        await ifPresent(renameEntry(join(folder, one), join(folder, kept, one)));
      await syncFolder(folder);
      return kept;
    },
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
