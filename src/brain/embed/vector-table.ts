/**
 * Vectors in memory, a byte for each number, by the hash of their passage. The nearest of very many are looked for in
 * two steps: the signs alone tell which few thousand come into question, and of these the cosines are computed.
 */

import { dot, type Quantized, quantize } from './quantize.ts';
import { nearestBySigns, signsOf, WORD_BITS } from './signs.ts';

export interface Near {
  readonly hash: string;
  readonly cosine: number;
}

export interface VectorTable {
  readonly size: number;
  has(hash: string): boolean;
  get(hash: string): Quantized | undefined;
  put(hash: string, vector: Quantized): void;
  remove(hash: string): void;
  cosine(query: Float32Array, hash: string): number | undefined;
  /** The cosine of the query and any passage, on average. */
  usualCosine(query: Float32Array): number;
  /** Best first. */
  nearest(query: Float32Array, most: number, accepts?: (hash: string) => boolean): Near[];
}

const FIRST_ROWS = 1_024;
/** So many are compared one by one. */
const FEW = 6_000;
/** Of more, so many come into question by their signs. */
const LIKELY = 2_000;
/** Enough to know what is usual. */
const SAMPLE = 400;

export function createVectorTable(dimensions: number): VectorTable {
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
  const cosineOf = ({ bytes: own, scale }: Quantized, row: number) =>
    dot(own, bytes, row * dimensions) * scale * scales[row]!;
  const candidates = (query: Quantized, accepts?: (hash: string) => boolean): number[] => {
    const isThere = (row: number) => hashes[row] !== undefined && (!accepts || accepts(hashes[row]));
    if (hashes.length > FEW)
      return nearestBySigns(signsOf(query.bytes), signs, { rows: hashes.length, most: LIKELY, isThere });
    return [...hashes.keys()].filter(isThere);
  };

  return {
    get size() {
      return rows.size;
    },
    has: (hash) => rows.has(hash),
    get(hash) {
      const row = rows.get(hash);
      if (row === undefined) return undefined;
      return { bytes: bytes.slice(row * dimensions, (row + 1) * dimensions), scale: scales[row]! };
    },
    put(hash, vector) {
      const row = rows.get(hash) ?? free.pop() ?? hashes.length;
      if (row >= scales.length) grow();
      rows.set(hash, row);
      hashes[row] = hash;
      bytes.set(vector.bytes, row * dimensions);
      scales[row] = vector.scale;
      signs.set(signsOf(vector.bytes), row * words);
    },
    remove(hash) {
      const row = rows.get(hash);
      if (row === undefined) return;
      rows.delete(hash);
      hashes[row] = undefined;
      free.push(row);
    },
    cosine(query, hash) {
      const row = rows.get(hash);
      return row === undefined ? undefined : cosineOf(quantize(query), row);
    },
    usualCosine(query) {
      const own = quantize(query);
      const step = Math.max(1, Math.floor(hashes.length / SAMPLE));
      const cosines: number[] = [];
      for (let row = 0; row < hashes.length; row += step)
        if (hashes[row] !== undefined) cosines.push(cosineOf(own, row));
      return cosines.reduce((sum, cosine) => sum + cosine, 0) / Math.max(1, cosines.length);
    },
    nearest(query, most, accepts) {
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
