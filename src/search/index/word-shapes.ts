/** Finds the words of a vocabulary that may be a slip or two away from a word: by their first letter, length and letters. */
import { GrowingUint32 } from './postings.ts';

/** A search does not wait for more. */
const MOST_AT_ONCE = 20_000;

/** A power of two. */
const KEYS = 1 << 15;

export class WordShapes {
  /** By first letter and length, some of which share a place: the last such word, plus one. */
  readonly #heads = new Uint32Array(KEYS);
  /** Per word: the one before it, plus one. */
  readonly #nexts = new GrowingUint32();
  /** Per word: which letters it has. */
  readonly #letters = new GrowingUint32();

  get size(): number {
    return this.#nexts.length;
  }

  /** Takes up some of the words that have come since the last time; a letter is between each word and the next one. False when no more are left. */
  extend(letters: Uint16Array, starts: Uint32Array, used: number): boolean {
    const end = Math.min(starts.length, this.size + MOST_AT_ONCE);
    for (let word = this.size; word < end; word++) {
      const start = starts[word]!;
      const key = keyOf(letters[start]!, endOf(word, starts, used) - start);
      this.#nexts.push(this.#heads[key]!);
      this.#heads[key] = word + 1;
      this.#letters.push(letterSetOf(letters, start, endOf(word, starts, used)));
    }
    return end < starts.length;
  }

  /** Of the words taken up, in the order they came; few others among them. */
  near(units: Uint16Array, length: number, slips: number): number[] {
    const wanted = letterSetOf(units, 0, length);
    const letters = this.#letters.values;
    const nexts = this.#nexts.values;
    const found: number[] = [];
    for (let other = Math.max(1, length - slips); other <= length + slips; other++)
      for (let next = this.#heads[keyOf(units[0]!, other)]!; next > 0; next = nexts[next - 1]!)
        if (maySlip(letters[next - 1]!, wanted, slips)) found.push(next - 1);
    return found.sort((a, b) => a - b);
  }
}

/** Whether a word may be so many slips away from another, of which the letters are given. */
export function maySlip(own: number, letters: number, slips: number): boolean {
  // An edit adds a letter, takes one away, or both.
  return bitsIn(own ^ letters) <= 2 * slips;
}

function endOf(word: number, starts: Uint32Array, used: number): number {
  return (starts[word + 1] ?? used) - 1;
}

function keyOf(first: number, length: number): number {
  return (first * 509 + length) & (KEYS - 1);
}

/** Which letters there are, as bits; some share one. */
export function letterSetOf(letters: Uint16Array, start: number, end: number): number {
  let set = 0;
  for (let at = start; at < end; at++) set |= 1 << (letters[at]! & 31);
  return set;
}

function bitsIn(set: number): number {
  let count = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) count++;
  return count;
}
