/** What the file of vectors holds: what made them, the vectors, and which passages each note had when. */
import { encodeFrame, type Frame } from './frames.ts';
import type { Quantized } from './quantize.ts';

/** A note whose passages all have vectors. */
export interface EmbeddedNote {
  readonly sourcePath: string;
  readonly lastModified: number;
  readonly size: number;
  readonly hashes: readonly string[];
}

export type VectorRecord =
  | { readonly kind: 'head'; readonly format: number; readonly identity: string }
  | { readonly kind: 'vector'; readonly hash: string; readonly vector: Quantized }
  | { readonly kind: 'note'; readonly note: EmbeddedNote }
  | { readonly kind: 'gone'; readonly sourcePath: string };

/** Grows with every change of what is stored, how notes are cut, or what of them is embedded. */
export const FORMAT = 1;

const KINDS = ['head', 'vector', 'note', 'gone'] as const;
const HASH_BYTES = 16;

export function encodeRecord(record: VectorRecord): Buffer {
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

/** Undefined for a record of a kind that is not known here. A vector is a view of the frame. */
export function decodeRecord({ kind: number, payload }: Frame): VectorRecord | undefined {
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
