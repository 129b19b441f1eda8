/**
 * Flat arrays, grouped and named, as one block of bytes: arrays stand in it as they are in memory, so that
 * they are read back as views. The head has the format's name, the length of the JSON and a checksum.
 */
import { crc32 } from 'node:zlib';

type FlatArray = Int8Array | Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;
export type ArrayTree = { readonly [name: string]: ArrayTree | FlatArray };

const TYPES = { Int8Array, Uint8Array, Uint16Array, Uint32Array, Float32Array, Float64Array };
/** Where an array stands: type, bytes from the start of the arrays, elements. */
type Place = readonly [type: keyof typeof TYPES, at: number, length: number];
type Places = { readonly [name: string]: Places | Place };

const WORD = 8;
const MAGIC_BYTES = 24;
const HEAD_BYTES = MAGIC_BYTES + WORD;
const CHECKED_PER_STEP = 4 * 1024 * 1024;

export interface ArrayFile {
  /** Any JSON value. */
  readonly facts: unknown;
  readonly arrays: ArrayTree;
}

/** The pieces of the file, in order, the arrays uncopied among them. A generator of steps. */
export function* encodeArrays(
  magic: string,
  { facts, arrays }: ArrayFile,
): Generator<undefined, Uint8Array[]> {
  const body: Uint8Array[] = [];
  let at = 0;
  const place = (tree: ArrayTree): Places =>
    Object.fromEntries(
      Object.entries(tree).map(([name, value]) => [
        name,
        ArrayBuffer.isView(value) ? put(value) : place(value),
      ]),
    );
  const put = (array: FlatArray): Place => {
    // The name of the type also where the array is a Buffer.
    const where = [array[Symbol.toStringTag], at, array.length] as const;
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    body.push(bytes, Buffer.alloc(padding(bytes.length)));
    at += bytes.length + padding(bytes.length);
    return where;
  };
  const json = Buffer.from(JSON.stringify({ facts, places: place(arrays) }));
  body.unshift(json, Buffer.alloc(padding(json.length)));
  let sum = 0;
  for (const piece of body) sum = yield* checksum(piece, sum);
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(magic.padEnd(MAGIC_BYTES));
  head.writeUInt32LE(json.length, MAGIC_BYTES);
  head.writeUInt32LE(sum, MAGIC_BYTES + 4);
  return [head, ...body];
}

/** Throws when the file has another format or is damaged. The arrays are views into `file`. */
export function* decodeArrays(magic: string, file: Buffer): Generator<undefined, ArrayFile> {
  if (file.subarray(0, MAGIC_BYTES).toString() !== magic.padEnd(MAGIC_BYTES))
    throw new Error('another format');
  if (file.length < HEAD_BYTES) throw new Error('damaged');
  const sum = yield* checksum(file.subarray(HEAD_BYTES), 0);
  if (sum !== file.readUInt32LE(MAGIC_BYTES + 4)) throw new Error('damaged');
  return viewArrays(file);
}

/** Decodes a file whose checksum has been verified. */
export function viewArrays(file: Buffer): ArrayFile {
  const jsonLength = file.readUInt32LE(MAGIC_BYTES);
  const { facts, places } = JSON.parse(file.toString('utf8', HEAD_BYTES, HEAD_BYTES + jsonLength)) as {
    facts: unknown;
    places: Places;
  };
  const start = file.byteOffset + HEAD_BYTES + jsonLength + padding(jsonLength);
  const take = (tree: Places): ArrayTree =>
    Object.fromEntries(
      Object.entries(tree).map(([name, value]) => [name, isPlace(value) ? view(value) : take(value)]),
    );
  const view = ([type, at, length]: Place) => new TYPES[type](file.buffer as ArrayBuffer, start + at, length);
  return { facts, arrays: take(places) };
}

/** A CRC, against accidents and not attacks: the folder is the user's own. */
function* checksum(bytes: Uint8Array, before: number): Generator<undefined, number> {
  let sum = before;
  for (let at = 0; at < bytes.length; at += CHECKED_PER_STEP) {
    sum = crc32(bytes.subarray(at, at + CHECKED_PER_STEP), sum);
    yield;
  }
  return sum;
}

function isPlace(value: Places | Place): value is Place {
  return Array.isArray(value);
}

function padding(length: number): number {
  return (WORD - (length % WORD)) % WORD;
}
