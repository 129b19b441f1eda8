/**
 * What each note of an index is about, as a vector: the sum of the vectors of its terms. A new or changed note is folded
 * in at once; the term vectors stay as they are until enough notes have changed.
 */
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { termOf } from '../../notes/text/stems.ts';
import { termsOf } from '../../notes/text/tokens.ts';
import { dot, quantize } from '../../shared/quantized-vector.ts';
import { type IndexedTerms, termHash, termWeight } from './term-matrix.ts';
import { DIMENSIONS, type TermVectors } from './term-vectors.ts';
import { type TermsOfNote, termsByNote } from './terms-by-note.ts';

export interface PackedMeaning {
  readonly terms: TermVectors;
  readonly notes: NoteVectors;
  /** How many notes there were when the term vectors were made, and how many have changed since. */
  readonly counts: Uint32Array;
}

interface NoteVectors {
  readonly bytes: Int8Array;
  /** 0 for a note that is not folded in yet. */
  readonly scales: Float32Array;
}

/** The scale of a note without any known term, so that it counts as folded in. */
const NOTHING = 1;
/** The term vectors are made anew when so many notes have changed. */
const CHANGED_SHARE = 0.2;

/** Fewer notes teach too little to change the order that words give; so many teach all that there is to learn. */
const FEW_NOTES = 500;
const ENOUGH_NOTES = 1_000;

const LONGEST_TEXT = 20_000;

const UNKNOWN = 0;
const NONE = -1;

export class NoteMeaning {
  readonly #terms: TermVectors;
  #bytes: Int8Array;
  #scales: Float32Array;
  readonly #madeFrom: number;
  #changed: number;
  /** Per word of the vocabulary: the row of its term, plus one. */
  #rows = new Int32Array(0);

  constructor({ terms, notes, counts }: PackedMeaning) {
    this.#terms = terms;
    this.#bytes = notes.bytes;
    this.#scales = notes.scales;
    this.#madeFrom = counts[0] ?? 0;
    this.#changed = counts[1] ?? 0;
  }

  /** A meaning for an index none of whose notes is folded in yet. */
  static over(index: IndexedTerms, terms: TermVectors): NoteMeaning {
    const notes = { bytes: new Int8Array(index.span * DIMENSIONS), scales: new Float32Array(index.span) };
    return new NoteMeaning({ terms, notes, counts: Uint32Array.of(index.size, 0) });
  }

  /** So many notes have changed that new term vectors would be better. */
  get isOutdated(): boolean {
    return this.#changed > this.#madeFrom * CHANGED_SHARE;
  }

  /** From 0 to 1: the fewer notes it was learned from, the less it tells. */
  get trust(): number {
    return Math.min(1, Math.max(0, (this.#madeFrom - FEW_NOTES) / (ENOUGH_NOTES - FEW_NOTES)));
  }

  pack(renumbered: Uint32Array, count: number): PackedMeaning {
    const bytes = new Int8Array(count * DIMENSIONS);
    const scales = new Float32Array(count);
    for (let number = 0; number < Math.min(renumbered.length, this.#scales.length); number++) {
      const row = renumbered[number]! - 1;
      if (row < 0) continue;
      const start = number * DIMENSIONS;
      bytes.set(this.#bytes.subarray(start, start + DIMENSIONS), row * DIMENSIONS);
      scales[row] = this.#scales[number]!;
    }
    const counts = Uint32Array.of(this.#madeFrom, this.#changed);
    return { terms: this.#terms, notes: { bytes, scales }, counts };
  }

  /** Collects the words of a new note; the returned function is called with its number, and folds it in. */
  folding(wordAt: (word: number) => string) {
    const weights = new Map<number, number>();
    return {
      add: (word: number, weight: number): void => {
        const row = this.#rowOfWord(word, wordAt);
        if (row >= 0) weights.set(row, (weights.get(row) ?? 0) + weight);
      },
      finish: (number: number): void => {
        const sum = new Float32Array(DIMENSIONS);
        for (const [row, weight] of weights) this.#addTerm(sum, 0, row, termWeight(weight));
        this.#put(number, sum);
        this.#changed++;
      },
    };
  }

  /** Whether there are notes to be folded in by `foldAll`: all of a new table, or some of a batch from a worker. */
  isMissingAny({ span, sizes }: IndexedTerms): boolean {
    for (let number = 0; number < span; number++)
      if (sizes[number] !== 0 && !this.#scales[number]) return true;
    return false;
  }

  /** Folds in all notes that are not yet. */
  *foldAll(index: IndexedTerms): Generator<undefined, void> {
    const wanted = new Uint8Array(index.span);
    for (let number = 0; number < wanted.length; number++)
      if (index.sizes[number] !== 0 && !this.#scales[number]) wanted[number] = 1;
    // A copy, because these arrays may be on their way to the snapshot.
    this.#bytes = this.#bytes.slice();
    this.#scales = this.#scales.slice();
    yield* termsByNote(index, { wanted, rowOf: (term) => this.#rowOf(term) }, (terms) => {
      if (!this.#scales[terms.number]) this.#put(terms.number, this.#sumOf(terms));
    });
  }

  /** How near notes are to these words, as a cosine; undefined when none of the words is known. */
  nearnessTo(words: readonly string[]): ((number: number) => number) | undefined {
    const vector = this.vectorOf(words);
    if (!vector) return undefined;
    const { bytes, scale } = quantize(vector);
    return (number) => dot(bytes, this.#bytes, number * DIMENSIONS) * scale * (this.#scales[number] ?? 0);
  }

  /** How near a text is to a vector. */
  cosine(vector: Float32Array, text: string): number {
    const words = termsOf(fold(text.slice(0, LONGEST_TEXT), SEARCH_FOLDING).text);
    const own = this.vectorOf(words);
    return own ? own.reduce((sum, value, at) => sum + value * vector[at]!, 0) : 0;
  }

  /** The vector of folded words, repetitions included; undefined when none of them is known. */
  vectorOf(words: readonly string[]): Float32Array | undefined {
    const counts = new Map<number, number>();
    for (const word of words) {
      const row = this.#rowOf(termOf(word));
      if (row >= 0) counts.set(row, (counts.get(row) ?? 0) + 1);
    }
    if (counts.size === 0) return undefined;
    const sum = new Float32Array(DIMENSIONS);
    for (const [row, count] of counts) this.#addTerm(sum, 0, row, termWeight(count));
    return normalize(sum) ? sum : undefined;
  }

  #put(number: number, sum: Float32Array): void {
    if (number >= this.#scales.length) this.#grow(number + 1);
    const { bytes, scale } = quantize(normalize(sum) ? sum : new Float32Array(DIMENSIONS));
    this.#bytes.set(bytes, number * DIMENSIONS);
    this.#scales[number] = scale === 0 ? NOTHING : scale;
  }

  #grow(span: number): void {
    const capacity = Math.max(span, Math.ceil(this.#scales.length * 1.5));
    const bytes = new Int8Array(capacity * DIMENSIONS);
    const scales = new Float32Array(capacity);
    bytes.set(this.#bytes);
    scales.set(this.#scales);
    this.#bytes = bytes;
    this.#scales = scales;
  }

  #sumOf({ rows, weights, from, to }: TermsOfNote): Float32Array {
    const sum = new Float32Array(DIMENSIONS);
    for (let at = from; at < to; ) {
      const row = rows[at]!;
      let weight = 0;
      for (; at < to && rows[at] === row; at++) weight += weights[at]!;
      this.#addTerm(sum, 0, row, termWeight(weight));
    }
    return sum;
  }

  #addTerm(sum: Float32Array, start: number, row: number, weight: number): void {
    const { bytes, scales } = this.#terms;
    addBytes(sum, start, bytes, row * DIMENSIONS, weight * scales[row]!);
  }

  #rowOfWord(word: number, wordAt: (word: number) => string): number {
    if (word >= this.#rows.length) {
      const larger = new Int32Array(Math.max(1024, word * 2));
      larger.set(this.#rows);
      this.#rows = larger;
    }
    if (this.#rows[word] === UNKNOWN) {
      const row = this.#rowOf(termOf(wordAt(word)));
      this.#rows[word] = row < 0 ? NONE : row + 1;
    }
    return this.#rows[word]! - 1;
  }

  /** The row of a term, less than 0 for one without a vector. */
  #rowOf(term: string): number {
    const { terms } = this.#terms;
    const wanted = termHash(term);
    let low = 0;
    let high = terms.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (terms[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return terms[low] === wanted ? low : NONE;
  }
}

/** A function of its own, which V8 compiles soon. */
function addBytes(sum: Float32Array, start: number, bytes: Int8Array, from: number, factor: number): void {
  for (let at = 0; at < DIMENSIONS; at++) sum[start + at]! += bytes[from + at]! * factor;
}

/** False for a vector without length. */
function normalize(vector: Float32Array): boolean {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return false;
  const length = Math.sqrt(squares);
  for (let at = 0; at < vector.length; at++) vector[at]! /= length;
  return true;
}
