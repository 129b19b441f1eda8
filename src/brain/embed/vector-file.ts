/**
 * The vector file: an append-only journal of records, compacted by an atomic replace. Several processes may use it at
 * once, and a crash loses at most the record being written: each record is framed with its length and checksum, and
 * damaged frames are skipped.
 */

import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { ifPresent } from '../../shared/fs/errno.ts';
import { makeFolders } from '../../shared/fs/make-folders.ts';
import { replaceFile } from '../../shared/fs/replace-file.ts';
import type { QuantizedVector } from '../../shared/quantized-vector.ts';

interface Frame {
  readonly kind: number;
  readonly payload: Buffer;
}

const MARK = Buffer.from([0x51, 0x75, 0xe9, 0x01]);
const HEAD_BYTES = MARK.length + 12;
const LONGEST = 64 * 1024 * 1024;

export function encodeFrame(kind: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  MARK.copy(head);
  head.writeUInt32LE(kind, MARK.length);
  head.writeUInt32LE(payload.length, MARK.length + 4);
  head.writeUInt32LE(crc32(payload, kind), MARK.length + 8);
  return Buffer.concat([head, payload]);
}

/** Yields the frames of `bytes`, and returns the offset after the last complete one. */
export function* decodeFrames(bytes: Buffer): Generator<Frame, number> {
  let at = 0;
  let unread = 0;
  while (at >= 0 && at < bytes.length) {
    const frame = frameAt(bytes, at);
    if (frame) {
      yield frame;
      at += HEAD_BYTES + frame.payload.length;
      unread = at;
    } else at = bytes.indexOf(MARK, at + 1);
  }
  return unread;
}

function frameAt(bytes: Buffer, at: number): Frame | undefined {
  if (at + HEAD_BYTES > bytes.length || bytes.compare(MARK, 0, MARK.length, at, at + MARK.length) !== 0)
    return undefined;
  const kind = bytes.readUInt32LE(at + MARK.length);
  const length = bytes.readUInt32LE(at + MARK.length + 4);
  const start = at + HEAD_BYTES;
  if (length > LONGEST || start + length > bytes.length) return undefined;
  const payload = bytes.subarray(start, start + length);
  return crc32(payload, kind) === bytes.readUInt32LE(at + MARK.length + 8) ? { kind, payload } : undefined;
}

/** A note whose passages all have vectors. */
export interface EmbeddedNote {
  readonly sourcePath: string;
  readonly lastModified: number;
  readonly size: number;
  readonly hashes: readonly string[];
}

export type VectorRecord =
  | { readonly kind: 'head'; readonly format: number; readonly identity: string }
  | { readonly kind: 'vector'; readonly hash: string; readonly vector: QuantizedVector }
  | { readonly kind: 'note'; readonly note: EmbeddedNote }
  | { readonly kind: 'gone'; readonly sourcePath: string };

/** Incremented when the format, the splitting of notes, or the embedded text changes. */
const FORMAT = 1;

const KINDS = ['head', 'vector', 'note', 'gone'] as const;
const HASH_BYTES = 16;

function encodeRecord(record: VectorRecord): Buffer {
  return encodeFrame(KINDS.indexOf(record.kind), payloadOf(record));
}

function payloadOf(record: VectorRecord): Buffer {
  if (record.kind !== 'vector') return Buffer.from(JSON.stringify(record));
  const { bytes, scale } = record.vector;
  const payload = Buffer.alloc(HASH_BYTES + 4 + bytes.length);
  payload.write(record.hash, 'hex');
  payload.writeFloatLE(scale, HASH_BYTES);
  payload.set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), HASH_BYTES + 4);
  return payload;
}

/** Undefined for a record of an unknown kind. A vector is a view of the frame. */
function decodeRecord({ kind: number, payload }: Frame): VectorRecord | undefined {
  const kind = KINDS[number];
  if (kind === undefined || (kind === 'vector' && payload.length <= HASH_BYTES + 4)) return undefined;
  if (kind !== 'vector') return JSON.parse(payload.toString()) as VectorRecord;
  const bytes = new Int8Array(
    payload.buffer,
    payload.byteOffset + HASH_BYTES + 4,
    payload.length - HASH_BYTES - 4,
  );
  return {
    kind,
    hash: payload.toString('hex', 0, HASH_BYTES),
    vector: { bytes, scale: payload.readFloatLE(HASH_BYTES) },
  };
}

export type VectorFile = ReturnType<typeof vectorFileAt>;

interface RecordReader {
  /** Called when the file was replaced since the last read. */
  reset(): void;
  /** Vectors are views that are valid until the call returns. */
  take(record: VectorRecord): void;
}

const ONLY_OWNER = 0o600;

/** A file whose vectors come from another embedder than `identity` is replaced. */
export function vectorFileAt(file: string, identity: string) {
  const head: VectorRecord = { kind: 'head', format: FORMAT, identity };
  /** The file that was read, and the offset reached. */
  let place = { inode: 0, at: 0 };

  /** Replaces the whole file. */
  const replace = async (records: Iterable<VectorRecord>) => {
    await makeFolders(dirname(file), 0o700);
    await replaceFile(file, encodeAll(head, records));
  };

  return {
    replace,
    /** Reads the records that any process added since the last call; all of them at first and after a reset. */
    async read({ reset, take }: RecordReader) {
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
    async add(records: readonly VectorRecord[]) {
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

function* encodeAll(head: VectorRecord, records: Iterable<VectorRecord>): Generator<Buffer> {
  yield encodeRecord(head);
  for (const record of records) yield encodeRecord(record);
}

/** Returns the number of bytes that were complete records. */
async function readRecords(file: string, at: number, take: RecordReader['take']): Promise<number> {
  const frames = decodeFrames(await bytesFrom(file, at));
  let step = frames.next();
  for (let count = 1; !step.done; count++) {
    const record = decodeRecord(step.value);
    if (record) take(record);
    // Yields to the event loop.
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
