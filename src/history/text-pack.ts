/**
 * Packs of texts, each compressed and found by the hash of its bytes. A frame is: a mark, the hash, the length of the
 * text, the length of the data, the data. Data as long as the text is the text itself.
 */
import { hash as hashBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw } from 'node:zlib';
import { ifPresent } from '../shared/fs/errno.ts';

const MARK = Buffer.from('QTX1');
/** 192 bits of SHA-256. */
const HASH_BYTES = 24;
const HEADER_BYTES = MARK.length + HASH_BYTES + 8;
/** A row of a pack's index: the hash and the offset of the frame. */
const ROW_BYTES = HASH_BYTES + 6;
/**
 * Longer texts are compressed in a thread of Node's pool. Shorter ones take less time than waiting for a thread: the
 * files of the note and of the history are written by the same pool at this moment.
 */
const LONG_TEXT = 64 * 1024;
const FASTEST = { level: 1 };
/** A header that says more is damaged. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

/** In base64url. */
export type TextHash = string;

export function hashOf(bytes: Uint8Array): TextHash {
  return hashBytes('sha256', bytes, 'buffer').toString('base64url', 0, HASH_BYTES);
}

export async function frameOf(hash: TextHash, text: Uint8Array): Promise<Buffer> {
  const compressed =
    text.length > LONG_TEXT ? await promisify(deflateRaw)(text, FASTEST) : deflateRawSync(text, FASTEST);
  const data = compressed.length < text.length ? compressed : text;
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(text.length, 0);
  lengths.writeUInt32LE(data.length, 4);
  return Buffer.concat([MARK, Buffer.from(hash, 'base64url'), lengths, data]);
}

export type ReadBytes = (offset: number, length: number) => Promise<Buffer>;

/** Undefined when the frame is damaged: the text is not the one of its hash. */
export async function readFrame(
  read: ReadBytes,
  offset: number,
  hash: TextHash,
): Promise<Buffer | undefined> {
  const header = headerOf(await read(offset, HEADER_BYTES), 0);
  if (header?.hash !== hash) return undefined;
  const data = await read(offset + HEADER_BYTES, header.dataLength);
  if (data.length < header.dataLength) return undefined;
  const text =
    header.dataLength === header.textLength
      ? data
      : await promisify(inflateRaw)(data, { maxOutputLength: header.textLength }).catch(() => undefined);
  return text && hashOf(text) === hash ? text : undefined;
}

function headerOf(bytes: Buffer, at: number) {
  if (bytes.length < at + HEADER_BYTES || !bytes.subarray(at, at + MARK.length).equals(MARK))
    return undefined;
  const end = at + MARK.length + HASH_BYTES;
  const textLength = bytes.readUInt32LE(end);
  const dataLength = bytes.readUInt32LE(end + 4);
  if (textLength > MAX_TEXT_BYTES || dataLength > textLength) return undefined;
  return { hash: bytes.toString('base64url', at + MARK.length, end), textLength, dataLength };
}

export interface PackScan {
  /** Offsets of frames by hash. */
  readonly offsets: Map<TextHash, number>;
  /** The length of the whole frames; what follows was torn off by a crash. */
  readonly wholeBytes: number;
}

/** Reads the frames of a pack that has no index: its process crashed, or still appends to it. */
export async function scanPack(file: string): Promise<PackScan> {
  const bytes = (await ifPresent(readFile(file))) ?? Buffer.alloc(0);
  const offsets = new Map<TextHash, number>();
  let wholeBytes = 0;
  // Behind a damaged frame, the next mark begins one that may be whole.
  for (let at = 0; at >= 0 && at < bytes.length; at = bytes.indexOf(MARK, at)) {
    const header = headerOf(bytes, at);
    const end = at + HEADER_BYTES + (header?.dataLength ?? 0);
    if (!header || end > bytes.length) {
      at += 1;
      continue;
    }
    offsets.set(header.hash, at);
    wholeBytes = at = end;
  }
  return { offsets, wholeBytes };
}

/** Rows sorted by hash. */
export function indexOfPack(offsets: ReadonlyMap<TextHash, number>): Buffer {
  const rows = [...offsets].map(([hash, offset]) => {
    const row = Buffer.alloc(ROW_BYTES);
    row.write(hash, 'base64url');
    row.writeUIntLE(offset, HASH_BYTES, 6);
    return row;
  });
  return Buffer.concat(rows.sort((a, b) => a.compare(b)));
}

/** The rows of two indexes of one pack, sorted. */
export function mergeIndexes(one: Buffer, other: Buffer): Buffer {
  const merged = Buffer.allocUnsafe(one.length + other.length);
  for (let at = 0, a = 0, b = 0; at < merged.length; at += ROW_BYTES) {
    const isFirst =
      b === other.length || (a < one.length && one.compare(other, b, b + ROW_BYTES, a, a + ROW_BYTES) <= 0);
    if (isFirst) a += one.copy(merged, at, a, a + ROW_BYTES);
    else b += other.copy(merged, at, b, b + ROW_BYTES);
  }
  return merged;
}

/** Binary search in a pack's index. */
export function offsetIn(index: Buffer, hash: TextHash): number | undefined {
  const wanted = Buffer.from(hash, 'base64url');
  let low = 0;
  let high = Math.floor(index.length / ROW_BYTES);
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = middle * ROW_BYTES;
    const order = index.compare(wanted, 0, HASH_BYTES, at, at + HASH_BYTES);
    if (order === 0) return index.readUIntLE(at + HASH_BYTES, 6);
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
}

export function hashesOf(index: Buffer): TextHash[] {
  const count = Math.floor(index.length / ROW_BYTES);
  return Array.from({ length: count }, (_, row) =>
    index.toString('base64url', row * ROW_BYTES, row * ROW_BYTES + HASH_BYTES),
  );
}

export async function readFrameOf(file: string, offset: number, hash: TextHash): Promise<Buffer | undefined> {
  const handle = await ifPresent(open(file, 'r'));
  if (!handle) return undefined;
  try {
    return await readFrame(
      async (from, length) => {
        const buffer = Buffer.allocUnsafe(length);
        const { bytesRead } = await handle.read(buffer, 0, length, from);
        return buffer.subarray(0, bytesRead);
      },
      offset,
      hash,
    );
  } finally {
    await handle.close();
  }
}
