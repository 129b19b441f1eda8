/**
 * Vectors in memory by passage hash, quantized to one byte per dimension. Nearest neighbours among many vectors are
 * found in two steps: binary quantization (sign bits, Hamming distance) selects candidates, then cosines rank them.
 */

import { dot, type QuantizedVector, quantize } from '../../shared/quantized-vector.ts';

const WORD_BITS = 32;

/** Sign bits, 32 to a word: similar vectors share most of them. */
function signsOf(bytes: Int8Array): Uint32Array {
  const signs = new Uint32Array(Math.ceil(bytes.length / WORD_BITS));
  for (let at = 0; at < bytes.length; at++) if (bytes[at]! > 0) signs[at >>> 5]! |= 1 << (at & 31);
  return signs;
}

interface VectorFilter {
  readonly rows: number;
  readonly most: number;
  readonly isThere: (row: number) => boolean;
}

/** About `most` rows with the smallest Hamming distance, in row order. */
function nearestBySigns(
  query: Uint32Array,
  signs: Uint32Array,
  { rows, most, isThere }: VectorFilter,
): number[] {
  const differences = new Uint16Array(rows);
  const counts = new Uint32Array(query.length * WORD_BITS + 1);
  const there: number[] = [];
  for (let row = 0; row < rows; row++) {
    if (!isThere(row)) continue;
    const different = differenceAt(query, signs, row * query.length);
    differences[row] = different;
    counts[different]!++;
    there.push(row);
  }
  const farthest = distanceOf(counts, most);
  return there.filter((row) => differences[row]! <= farthest);
}

/** The smallest distance within which there are at least `most` rows. */
function distanceOf(counts: Uint32Array, most: number): number {
  let sum = 0;
  for (let difference = 0; difference < counts.length; difference++) {
    sum += counts[difference]!;
    if (sum >= most) return difference;
  }
  return counts.length;
}

function differenceAt(query: Uint32Array, signs: Uint32Array, start: number): number {
  let sum = 0;
  for (let at = 0; at < query.length; at++) sum += popCount((query[at]! ^ signs[start + at]!) | 0);
  return sum;
}

/** Number of set bits, counted in parallel (SWAR). */
function popCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export interface VectorHit {
  readonly hash: string;
  readonly cosine: number;
}

export type VectorTable = ReturnType<typeof createVectorTable>;

const FIRST_ROWS = 1_024;
/** Up to this many vectors are compared exhaustively. */
const EXHAUSTIVE_ROWS = 6_000;
/** Candidates by Hamming distance beyond that. */
const CANDIDATES = 2_000;
const SAMPLE = 400;

export function createVectorTable(dimensions: number) {
  const words = Math.ceil(dimensions / WORD_BITS);
  const rows = new Map<string, number>();
  const hashes: (string | undefined)[] = [];
  const free: number[] = [];
  let bytes = new Int8Array(FIRST_ROWS * dimensions);
  let scales = new Float32Array(FIRST_ROWS);
  let signs = new Uint32Array(FIRST_ROWS * words);

  const grow = () => {
    const capacity = Math.ceil(scales.length * 1.5);
    bytes = enlarged(bytes, new Int8Array(capacity * dimensions));
    scales = enlarged(scales, new Float32Array(capacity));
    signs = enlarged(signs, new Uint32Array(capacity * words));
  };
  const cosineOf = ({ bytes: own, scale }: QuantizedVector, row: number) =>
    dot(own, bytes, row * dimensions) * scale * scales[row]!;
  const candidates = (query: QuantizedVector, accepts?: (hash: string) => boolean): number[] => {
    const isThere = (row: number) => hashes[row] !== undefined && (!accepts || accepts(hashes[row]));
    if (hashes.length > EXHAUSTIVE_ROWS)
      return nearestBySigns(signsOf(query.bytes), signs, { rows: hashes.length, most: CANDIDATES, isThere });
    return [...hashes.keys()].filter(isThere);
  };

  return {
    get size() {
      return rows.size;
    },
    has: (hash: string) => rows.has(hash),
    get(hash: string): QuantizedVector | undefined {
      const row = rows.get(hash);
      if (row === undefined) return undefined;
      return { bytes: bytes.slice(row * dimensions, (row + 1) * dimensions), scale: scales[row]! };
    },
    put(hash: string, vector: QuantizedVector) {
      const row = rows.get(hash) ?? free.pop() ?? hashes.length;
      if (row >= scales.length) grow();
      rows.set(hash, row);
      hashes[row] = hash;
      bytes.set(vector.bytes, row * dimensions);
      scales[row] = vector.scale;
      signs.set(signsOf(vector.bytes), row * words);
    },
    remove(hash: string) {
      const row = rows.get(hash);
      if (row === undefined) return;
      rows.delete(hash);
      hashes[row] = undefined;
      free.push(row);
    },
    cosine(query: Float32Array, hash: string) {
      const row = rows.get(hash);
      return row === undefined ? undefined : cosineOf(quantize(query), row);
    },
    /** Average cosine of the query and a sample of the passages. */
    averageCosine(query: Float32Array) {
      const own = quantize(query);
      const step = Math.max(1, Math.floor(hashes.length / SAMPLE));
      const cosines: number[] = [];
      for (let row = 0; row < hashes.length; row += step)
        if (hashes[row] !== undefined) cosines.push(cosineOf(own, row));
      return cosines.reduce((sum, cosine) => sum + cosine, 0) / Math.max(1, cosines.length);
    },
    /** Best first. */
    nearest(query: Float32Array, most: number, accepts?: (hash: string) => boolean): VectorHit[] {
      const own = quantize(query);
      return candidates(own, accepts)
        .map((row) => ({ hash: hashes[row]!, cosine: cosineOf(own, row) }))
        .sort((a, b) => b.cosine - a.cosine || (a.hash < b.hash ? -1 : 1))
        .slice(0, most);
    },
  };
}

function enlarged<Values extends Int8Array | Float32Array | Uint32Array>(
  values: Values,
  larger: Values,
): Values {
  larger.set(values);
  return larger;
}
