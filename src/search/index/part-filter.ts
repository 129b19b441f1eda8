/**
 * Tells which stretches of letters can hold a piece of text: for each stretch a set of bits for the three and the five
 * letters in a row that its words have (a signature file). Looking for a piece in all letters of a very large vocabulary
 * takes many milliseconds, and most stretches have all threes of a piece that is made of usual syllables.
 */
import { unitsOf } from '../../notes/text/tokens.ts';

/** Letters of a stretch. No piece is longer than one. */
const STRETCH = 256;
/** A power of two; about a quarter of them are set. */
const BITS = 1024;
/** Per bit of a block: a word for 32 stretches each. A look at one bit of many stretches is a look at few words. */
const WORDS = 32;
const BLOCK = 32 * WORDS;
/** A search does not wait for more: what is not taken up yet is looked through. */
const MOST_AT_ONCE = 200_000;
/** In a row, at most. */
const LETTERS = 5;

export class PartFilter {
  /** Of 1,024 stretches each, bit by bit. */
  readonly #blocks: Uint32Array[] = [];
  #stretches = 0;

  /** How many letters are taken up, with those after them that were looked at. */
  get letters(): number {
    return this.#stretches === 0 ? 0 : this.#stretches * STRETCH + LETTERS;
  }

  /** Takes up some of the letters that have come since the last time; those known do not change. False when no more are left. */
  extend(letters: Uint16Array, length: number): boolean {
    const end = Math.min(length, this.letters + MOST_AT_ONCE);
    for (; (this.#stretches + 1) * STRETCH + LETTERS <= end; this.#stretches++) {
      if (this.#stretches % BLOCK === 0) this.#blocks.push(new Uint32Array(BITS * WORDS));
      setBits(letters, this.#stretches, this.#blocks.at(-1)!);
    }
    return end < length;
  }

  /** Where pieces like this one can begin: from a letter up to another, in ascending order, up to `length`. */
  *stretchesWith(part: string, length: number): Generator<readonly [from: number, to: number]> {
    const bits = bitsOf(part);
    const stretches = this.#stretches;
    for (let first = 0; first < stretches; first += 32) {
      let left = this.#withAll(bits, first);
      // What comes after the last one is not known.
      if (stretches - first <= 32) left |= 1 << (stretches - 1 - first);
      for (; left !== 0; left &= left - 1) {
        const stretch = first + 31 - Math.clz32(left & -left);
        if (stretch < stretches) yield [stretch * STRETCH, (stretch + 1) * STRETCH];
      }
    }
    if (stretches * STRETCH < length) yield [stretches * STRETCH, length];
  }

  /** Which of 32 stretches have all the bits, some of them perhaps in the one after it. */
  #withAll(bits: Uint16Array, first: number): number {
    const block = this.#blocks[Math.floor(first / BLOCK)]!;
    const word = (first / 32) % WORDS;
    const isLastWord = word === WORDS - 1;
    const after = isLastWord ? this.#blocks[Math.floor(first / BLOCK) + 1] : block;
    const wordAfter = isLastWord ? 0 : word + 1;
    let all = -1;
    for (let at = 0; at < bits.length && all !== 0; at++) {
      const own = block[bits[at]! * WORDS + word]!;
      const next = after ? after[bits[at]! * WORDS + wordAfter]! : 0;
      all &= own | (own >>> 1) | (next << 31);
    }
    return all;
  }
}

/** Of the threes and fives in a row that begin in the stretch: no piece holds the zero between two words. */
function setBits(letters: Uint16Array, stretch: number, block: Uint32Array): void {
  const word = Math.floor((stretch % BLOCK) / 32);
  const mask = 1 << (stretch % 32);
  const start = stretch * STRETCH;
  for (let at = start; at < start + STRETCH; at++) {
    const first = letters[at]!;
    const second = letters[at + 1]!;
    const third = letters[at + 2]!;
    if (first === 0 || second === 0 || third === 0) continue;
    const three = hashOfThree(first, second, third);
    block[bitOf(three) * WORDS + word]! |= mask;
    const fourth = letters[at + 3]!;
    const fifth = letters[at + 4]!;
    if (fourth !== 0 && fifth !== 0) block[bitOf(hashOfFive(three, fourth, fifth)) * WORDS + word]! |= mask;
  }
}

/** The rarer ones first. */
function bitsOf(part: string): Uint16Array {
  const units = unitsOf(part);
  const [threes, fives]: [number[], number[]] = [[], []];
  for (let at = 0; at + 3 <= part.length; at++) {
    const three = hashOfThree(units[at]!, units[at + 1]!, units[at + 2]!);
    threes.push(bitOf(three));
    if (at + 5 <= part.length) fives.push(bitOf(hashOfFive(three, units[at + 3]!, units[at + 4]!)));
  }
  return Uint16Array.from([...fives, ...threes]);
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
