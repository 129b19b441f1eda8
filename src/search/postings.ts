/**
 * Which note holds which word, and how weightily. A word's notes are a chain through flat arrays, newest
 * first, so that adding a note only appends. A removed note's entries stay until the next compaction.
 */
import { GrowingUint8, GrowingUint32 } from './growing.ts';

const END = 0xffffffff;

export interface PostingArrays {
  /** Per word: its newest entry. */
  readonly heads: Uint32Array;
  /** Per entry: the note, the weight, the next older entry of the same word. */
  readonly notes: Uint32Array;
  readonly weights: Uint8Array;
  readonly nexts: Uint32Array;
}

export class Postings {
  readonly #heads: GrowingUint32;
  readonly #notes: GrowingUint32;
  readonly #weights: GrowingUint8;
  readonly #nexts: GrowingUint32;

  constructor(arrays?: PostingArrays) {
    this.#heads = new GrowingUint32(arrays?.heads, arrays?.heads.length);
    this.#notes = new GrowingUint32(arrays?.notes, arrays?.notes.length);
    this.#weights = new GrowingUint8(arrays?.weights, arrays?.weights.length);
    this.#nexts = new GrowingUint32(arrays?.nexts, arrays?.nexts.length);
  }

  get size(): number {
    return this.#notes.length;
  }

  arrays(): PostingArrays {
    return {
      heads: this.#heads.used(),
      notes: this.#notes.used(),
      weights: this.#weights.used(),
      nexts: this.#nexts.used(),
    };
  }

  add(word: number, note: number, weight: number): void {
    while (this.#heads.length <= word) this.#heads.push(END);
    this.#notes.push(note);
    this.#weights.push(Math.min(255, Math.max(1, Math.round(weight))));
    this.#nexts.push(this.#heads.values[word]!);
    this.#heads.values[word] = this.#notes.length - 1;
  }

  /**
   * Adds the weights of one word, times `factor`, to the sums per note; notes that had none before and are
   * `alive` go to `reached`.
   */
  addTo(sums: Float32Array, word: number, factor: number, alive: Uint32Array, reached: number[]): void {
    const notes = this.#notes.values;
    const weights = this.#weights.values;
    const nexts = this.#nexts.values;
    for (let entry = this.#heads.values[word] ?? END; entry !== END; entry = nexts[entry]!) {
      const note = notes[entry]!;
      if (alive[note] === 0) continue;
      if (sums[note] === 0) reached.push(note);
      sums[note]! += weights[entry]! * factor;
    }
  }

  forEach(word: number, visit: (note: number, weight: number) => void): void {
    const notes = this.#notes.values;
    const weights = this.#weights.values;
    const nexts = this.#nexts.values;
    for (let entry = this.#heads.values[word] ?? END; entry !== END; entry = nexts[entry]!)
      visit(notes[entry]!, weights[entry]!);
  }
}
