/**
 * Latent semantic analysis (S. Deerwester and others, 1990): terms that stand in the same notes get similar vectors, so
 * that a question finds notes that say the same in other words. Nothing is downloaded, and any language will do. The
 * vectors span the strongest directions of the term weights, found by a randomized singular value decomposition (N. Halko
 * and others, 2011). The seed is fixed: the same notes give the same vectors.
 */
import { quantize } from '../../shared/quantized-vector.ts';

export const DIMENSIONS = 64;

/** As many directions as there are notes or terms would tell all of them apart, and none would be like another. */
const NOTES_PER_DIMENSION = 8;
const TERMS_PER_DIMENSION = 8;

/** Weights of terms in notes, by term; those of a note have the length 1. */
export interface TermMatrix {
  readonly notes: number;
  /** Hashes of the terms, ascending. */
  readonly terms: Uint32Array;
  readonly idfs: Float32Array;
  /** Per term, and one more: where its entries begin. */
  readonly starts: Uint32Array;
  readonly entryNotes: Uint32Array;
  readonly entryWeights: Float32Array;
}

/** A vector for each term, times its IDF. */
export interface TermVectors {
  /** Hashes of the terms, ascending. */
  readonly terms: Uint32Array;
  /** Quantized, one vector after the other. */
  readonly bytes: Int8Array;
  /** Factors from byte to number. */
  readonly scales: Float32Array;
}

/** Power iterations: few directions are found less well at the first try. */
const FEW_ENTRIES = 100_000;
const ROUNDS_FOR_FEW = 4;

/** How many multiplications a step has; it takes about a millisecond. */
const ENTRIES_PER_STEP = 20_000;
const ROWS_PER_STEP = 300;

export function* termVectors(matrix: TermMatrix): Generator<undefined, TermVectors> {
  const { terms, idfs, notes } = matrix;
  const used = Math.min(DIMENSIONS, notes / NOTES_PER_DIMENSION, terms.length / TERMS_PER_DIMENSION);
  const ofTerms = randomVectors(terms.length, Math.ceil(used));
  const ofNotes = new Float32Array(notes * DIMENSIONS);
  const rounds = matrix.entryNotes.length < FEW_ENTRIES ? ROUNDS_FOR_FEW : 1;
  for (let round = 0; round < rounds; round++) {
    ofNotes.fill(0);
    yield* multiply(matrix, ofTerms, ofNotes, false);
    yield* orthonormalize(ofNotes);
    ofTerms.fill(0);
    yield* multiply(matrix, ofNotes, ofTerms, true);
    yield* orthonormalize(ofTerms);
  }
  const bytes = new Int8Array(ofTerms.length);
  const scales = new Float32Array(terms.length);
  for (let term = 0; term < terms.length; term++) {
    const start = term * DIMENSIONS;
    const vector = quantize(ofTerms.subarray(start, start + DIMENSIONS));
    bytes.set(vector.bytes, start);
    scales[term] = vector.scale * idfs[term]!;
  }
  return { terms, bytes, scales };
}

/** From terms to notes, or back. Adds to `to`. */
function* multiply(
  { terms, starts, entryNotes, entryWeights }: TermMatrix,
  from: Float32Array,
  to: Float32Array,
  isBack: boolean,
): Generator<undefined, void> {
  let pauseAt = ENTRIES_PER_STEP;
  for (let term = 0; term < terms.length; term++) {
    const end = starts[term + 1]!;
    for (let entry = starts[term]!; entry < end; entry++) {
      const note = entryNotes[entry]!;
      const weight = entryWeights[entry]!;
      if (isBack) addScaled(to, term, from, note, weight);
      else addScaled(to, note, from, term, weight);
    }
    if (end < pauseAt) continue;
    yield;
    pauseAt = end + ENTRIES_PER_STEP;
  }
}

function addScaled(
  to: Float32Array,
  toRow: number,
  from: Float32Array,
  fromRow: number,
  weight: number,
): void {
  const toStart = toRow * DIMENSIONS;
  const fromStart = fromRow * DIMENSIONS;
  for (let at = 0; at < DIMENSIONS; at++) to[toStart + at]! += weight * from[fromStart + at]!;
}

/** Vectors of which the first `used` numbers are not zero. */
function randomVectors(rows: number, used: number): Float32Array<ArrayBuffer> {
  const vectors = new Float32Array(rows * DIMENSIONS);
  let seed = 1;
  for (let row = 0; row < rows; row++)
    for (let at = 0; at < used; at++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) | 0;
      vectors[row * DIMENSIONS + at] = ((seed >>> 8) & 0xffff) / 0x10000 - 0.5;
    }
  return vectors;
}

/** A column that depends on those before it becomes zero. */
const LEAST_PIVOT = 1e-7;

/** Makes the columns orthogonal and of length 1, by the Cholesky factor of their products. */
function* orthonormalize(rows: Float32Array): Generator<undefined, void> {
  const size = DIMENSIONS;
  const count = rows.length / size;
  const factor = new Float64Array(size * size);
  for (let row = 0; row < count; row++) {
    const start = row * size;
    for (let a = 0; a < size; a++) {
      const value = rows[start + a]!;
      if (value === 0) continue;
      for (let b = 0; b <= a; b++) factor[a * size + b]! += value * rows[start + b]!;
    }
    if (row % ROWS_PER_STEP === 0) yield;
  }
  const usable = choleskyInPlace(factor, size);
  yield;
  for (let row = 0; row < count; row++) {
    const start = row * size;
    for (let a = 0; a < size; a++) {
      let value = rows[start + a]!;
      for (let b = 0; b < a; b++) value -= factor[a * size + b]! * rows[start + b]!;
      rows[start + a] = usable[a] === 1 ? value / factor[a * size + a]! : 0;
    }
    if (row % ROWS_PER_STEP === 0) yield;
  }
}

/** Returns which columns are independent of those before them. */
function choleskyInPlace(factor: Float64Array, size: number): Uint8Array {
  const usable = new Uint8Array(size);
  let largest = 0;
  for (let a = 0; a < size; a++) largest = Math.max(largest, factor[a * size + a]!);
  for (let a = 0; a < size; a++) {
    for (let b = 0; b <= a; b++) {
      let sum = factor[a * size + b]!;
      for (let c = 0; c < b; c++) sum -= factor[a * size + c]! * factor[b * size + c]!;
      if (b < a) factor[a * size + b] = usable[b] === 1 ? sum / factor[b * size + b]! : 0;
      else if (sum > LEAST_PIVOT * largest) {
        usable[a] = 1;
        factor[a * size + a] = Math.sqrt(sum);
      }
    }
  }
  return usable;
}
