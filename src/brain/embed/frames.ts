/**
 * Records one after the other, each with its length and checksum. What is damaged is passed over and the rest read:
 * a process that died in the middle of a write costs its last record, no more.
 */
import { crc32 } from 'node:zlib';

export interface Frame {
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
  head.writeUInt32LE(checksum(kind, payload), MARK.length + 8);
  return Buffer.concat([head, payload]);
}

/** The frames of `bytes`, and where what is not complete yet begins. */
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
  return checksum(kind, payload) === bytes.readUInt32LE(at + MARK.length + 8) ? { kind, payload } : undefined;
}

function checksum(kind: number, payload: Uint8Array): number {
  return crc32(payload, kind);
}
