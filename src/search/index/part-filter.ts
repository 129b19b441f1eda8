/**
 * Tells which stretches of letters can hold a piece of text: for each stretch a bit set of the three and the five letters in
 * a row that its words have (a signature file). Looking for a piece in all letters of a very large vocabulary takes many
 * milliseconds, and most stretches have all threes of a piece that is made of usual syllables.
 */
import { unitsOf } from '../../notes/text/tokens.ts';
import { GrowingUint32 } from './postings.ts';

/** Letters of a stretch. No piece is longer than one. */
const STRETCH = 256;
/** A power of two; about a quarter of them are set. */
const BITS = 1024;
const WORDS = BITS / 32;
const FEW_LETTERS = 3;
const MORE_LETTERS = 5;

export class PartFilter {
  /** The bit sets, one after the other, of all stretches that are complete, with the letters after them that make the last ones in a row complete. */
  readonly #sets = new GrowingUint32();
  #stretches = 0;

  /** Takes up letters that have come since the last time; those known do not change. */
  extend(letters: Uint16Array, length: number): void {
    const set = new Uint32Array(WORDS);
    for (; (this.#stretches + 1) * STRETCH + MORE_LETTERS <= length; this.#stretches++) {
      const start = this.#stretches * STRETCH;
      set.fill(0);
      for (let at = start; at < start + STRETCH; at++) setBits(letters, at, set);
      for (let at = 0; at < WORDS; at++) this.#sets.push(set[at]!);
    }
  }

  /** Where pieces like this one can begin: from a letter up to another, in ascending order, up to `length`. */
  *stretchesWith(part: string, length: number): Generator<readonly [from: number, to: number]> {
    const units = unitsOf(part);
    const bits: number[] = [];
    // The rarer ones first.
    for (const letters of [MORE_LETTERS, FEW_LETTERS])
      for (let at = 0; at + letters <= part.length; at++) bits.push(bitOf(units, at, letters));
    const wanted = Uint32Array.from(bits);
    for (
      let stretch = this.#next(wanted, 0);
      stretch < this.#stretches;
      stretch = this.#next(wanted, stretch + 1)
    )
      yield [stretch * STRETCH, (stretch + 1) * STRETCH];
    if (this.#stretches * STRETCH < length) yield [this.#stretches * STRETCH, length];
  }

  /** The first stretch from one on that has all the bits, some of them perhaps in the one after it; their number if there is none. */
  #next(bits: Uint32Array, from: number): number {
    const sets = this.#sets.values;
    // What comes after the last one is not known.
    const last = this.#stretches - 1;
    for (let stretch = from; stretch < last; stretch++) {
      let at = 0;
      for (let start = stretch * WORDS; at < bits.length; at++) {
        const bit = bits[at]!;
        const word = start + (bit >>> 5);
        if ((((sets[word]! | sets[word + WORDS]!) >>> (bit & 31)) & 1) === 0) break;
      }
      if (at === bits.length) return stretch;
    }
    return Math.max(from, last);
  }
}

/** Of the letters from a place on, as far as they are of one word: no piece holds the zero between two. */
function setBits(letters: Uint16Array, at: number, set: Uint32Array): void {
  let inRow = 0;
  while (inRow < MORE_LETTERS && letters[at + inRow] !== 0) inRow++;
  if (inRow >= FEW_LETTERS) setBit(set, bitOf(letters, at, FEW_LETTERS));
  if (inRow === MORE_LETTERS) setBit(set, bitOf(letters, at, MORE_LETTERS));
}

function setBit(set: Uint32Array, bit: number): void {
  set[bit >>> 5]! |= 1 << (bit & 31);
}

function bitOf(letters: Uint16Array, at: number, count: number): number {
  let hash = count;
  for (let next = at; next < at + count; next++) hash = Math.imul(hash, 31) + letters[next]!;
  return (Math.imul(hash, 0x9e3779b1) >>> 16) & (BITS - 1);
}
