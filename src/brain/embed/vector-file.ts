/**
 * The file the vectors are kept in between runs: records are only ever added, each in one write, and a new file takes
 * the place of the old one in one step. So two processes may use it at once, and one that dies leaves what it had.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ifPresent } from '../../shared/errno.ts';
import { decodeFrames } from './frames.ts';
import { decodeRecord, encodeRecord, FORMAT, type VectorRecord } from './records.ts';

export interface VectorFile {
  /** Takes the records added since the last call, by whomever; after a reset all of them, as at first. */
  read(reader: RecordReader): Promise<void>;
  add(records: readonly VectorRecord[]): Promise<void>;
  /** Puts these in the place of everything. */
  replace(records: Iterable<VectorRecord>): Promise<void>;
}

export interface RecordReader {
  /** The file is another one than before. */
  reset(): void;
  /** Vectors are views that hold until the call returns. */
  take(record: VectorRecord): void;
}

const ONLY_OWNER = 0o600;

/** `identity` of the embedder: a file of another one is of no use, and is replaced. */
export function vectorFileAt(file: string, identity: string): VectorFile {
  const head: VectorRecord = { kind: 'head', format: FORMAT, identity };
  /** Which file was read, and how far. */
  let place = { inode: 0, at: 0 };

  const replace = async (records: Iterable<VectorRecord>) => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const temporary = `${file}.${randomBytes(6).toString('hex')}.new`;
    try {
      const handle = await open(temporary, 'wx', ONLY_OWNER);
      try {
        await handle.appendFile(encodeRecord(head));
        for (const record of records) await handle.appendFile(encodeRecord(record));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, file);
    } catch (error) {
      await ifPresent(unlink(temporary));
      throw error;
    }
  };

  return {
    replace,
    async read({ reset, take }) {
      const found = await ifPresent(stat(file));
      if (!found) return;
      if (found.ino !== place.inode || found.size < place.at) {
        reset();
        place = { inode: found.ino, at: 0 };
      }
      if (!(await isOurs(file, head))) return;
      const bytes = await readRecords(file, place.at, take);
      place = { ...place, at: place.at + bytes };
    },
    async add(records) {
      if (!(await isOurs(file, head))) await replace([]);
      const handle = await open(file, 'a', ONLY_OWNER);
      try {
        await handle.appendFile(Buffer.concat(records.map(encodeRecord)));
      } finally {
        await handle.close();
      }
    },
  };
}

/** How many bytes were whole records. */
async function readRecords(file: string, at: number, take: RecordReader['take']): Promise<number> {
  const frames = decodeFrames(await bytesFrom(file, at));
  let step = frames.next();
  for (let count = 1; !step.done; count++) {
    const record = decodeRecord(step.value);
    if (record) take(record);
    // Thousands of records are no reason for others to wait.
    if (count % 1_000 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    step = frames.next();
  }
  return step.value;
}

async function bytesFrom(file: string, at: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.allocUnsafe(Math.max(0, size - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function isOurs(file: string, head: VectorRecord): Promise<boolean> {
  const wanted = encodeRecord(head);
  const handle = await ifPresent(open(file, 'r'));
  if (!handle) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(wanted.length), 0, wanted.length, 0);
    return bytesRead === wanted.length && buffer.equals(wanted);
  } finally {
    await handle.close();
  }
}
