/**
 * Tells which stretches of letters can hold a piece of text: for each stretch a bit set of the three letters in a row that
 * it has (a signature file). Looking for a piece in all letters of a very large vocabulary takes many milliseconds.
 */
import { unitsOf } from '../../notes/text/tokens.ts';
import { GrowingUint32 } from './postings.ts';

/** Letters of a stretch. No piece is longer than one. */
const STRETCH = 1024;
/** A power of two; about a third of them are set. */
const BITS = 2048;
const WORDS = BITS / 32;

export class PartFilter {
  /** The bit sets, one after the other, of all stretches that are complete, with the two letters after them. */
  readonly #sets = new GrowingUint32();
  #stretches = 0;

  /** Takes up letters that have come since the last time; those known do not change. */
  extend(letters: Uint16Array, length: number): void {
    for (; (this.#stretches + 1) * STRETCH + 2 <= length; this.#stretches++) {
      const start = this.#stretches * STRETCH;
      const set = new Uint32Array(WORDS);
      for (let at = start; at < start + STRETCH; at++) {
        const bit = bitOf(letters, at);
        set[bit >>> 5]! |= 1 << (bit & 31);
      }
      for (const word of set) this.#sets.push(word);
    }
  }

  /** Where pieces like this one can begin: from a letter up to another, in ascending order, up to `length`. */
  *stretchesWith(part: string, length: number): Generator<readonly [from: number, to: number]> {
    const units = unitsOf(part);
    const bits = Array.from({ length: part.length - 2 }, (_, at) => bitOf(units, at));
    for (let stretch = 0; stretch < this.#stretches; stretch++)
      if (bits.every((bit) => this.#has(stretch, bit) || this.#has(stretch + 1, bit)))
        yield [stretch * STRETCH, (stretch + 1) * STRETCH];
    if (this.#stretches * STRETCH < length) yield [this.#stretches * STRETCH, length];
  }

  /** True for a stretch that is not complete yet. */
  #has(stretch: number, bit: number): boolean {
    if (stretch >= this.#stretches) return true;
    return ((this.#sets.values[stretch * WORDS + (bit >>> 5)]! >>> (bit & 31)) & 1) === 1;
  }
}

function bitOf(letters: Uint16Array, at: number): number {
  return (
    (Math.imul(letters[at]! * 961 + letters[at + 1]! * 31 + letters[at + 2]!, 0x9e3779b1) >>> 16) & (BITS - 1)
  );
}
