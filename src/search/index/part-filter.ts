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
/** A search does not wait for more: what is not taken up yet is looked through. */
const MOST_AT_ONCE = 200_000;
/** In a row, at most. */
const LETTERS = 5;

export class PartFilter {
  /** The bit sets, one after the other, of all stretches that are complete, with the letters after them that make the last ones in a row complete. */
  readonly #sets = new GrowingUint32();
  #stretches = 0;

  /** How many letters are taken up, with those after them that were looked at. */
  get letters(): number {
    return this.#stretches === 0 ? 0 : this.#stretches * STRETCH + LETTERS;
  }

  /** Takes up some of the letters that have come since the last time; those known do not change. False when no more are left. */
  extend(letters: Uint16Array, length: number): boolean {
    const set = new Uint32Array(WORDS);
    const end = Math.min(length, this.letters + MOST_AT_ONCE);
    for (; (this.#stretches + 1) * STRETCH + LETTERS <= end; this.#stretches++) {
      const start = this.#stretches * STRETCH;
      set.fill(0);
      setBits(letters, start, set);
      for (let at = 0; at < WORDS; at++) this.#sets.push(set[at]!);
    }
    return end < length;
  }

  /** Where pieces like this one can begin: from a letter up to another, in ascending order, up to `length`. */
  *stretchesWith(part: string, length: number): Generator<readonly [from: number, to: number]> {
    const units = unitsOf(part);
    const [threes, fives]: [number[], number[]] = [[], []];
    for (let at = 0; at + 3 <= part.length; at++) {
      const three = hashOfThree(units[at]!, units[at + 1]!, units[at + 2]!);
      threes.push(bitOf(three));
      if (at + 5 <= part.length) fives.push(bitOf(hashOfFive(three, units[at + 3]!, units[at + 4]!)));
    }
    // The rarer ones first.
    const wanted = Uint32Array.from([...fives, ...threes]);
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

/** Of the threes and fives in a row that begin in the stretch: no piece holds the zero between two words. */
function setBits(letters: Uint16Array, start: number, set: Uint32Array): void {
  for (let at = start; at < start + STRETCH; at++) {
    const first = letters[at]!;
    const second = letters[at + 1]!;
    const third = letters[at + 2]!;
    if (first === 0 || second === 0 || third === 0) continue;
    const three = hashOfThree(first, second, third);
    setBit(set, bitOf(three));
    const fourth = letters[at + 3]!;
    const fifth = letters[at + 4]!;
    if (fourth !== 0 && fifth !== 0) setBit(set, bitOf(hashOfFive(three, fourth, fifth)));
  }
}

function setBit(set: Uint32Array, bit: number): void {
  set[bit >>> 5]! |= 1 << (bit & 31);
}

function hashOfThree(first: number, second: number, third: number): number {
  return (first * 961 + second * 31 + third) | 0;
}

function hashOfFive(three: number, fourth: number, fifth: number): number {
  return (Math.imul(three, 961) + fourth * 31 + fifth + 1) | 0;
}

function bitOf(hash: number): number {
  return (Math.imul(hash, 0x9e3779b1) >>> 16) & (BITS - 1);
}
