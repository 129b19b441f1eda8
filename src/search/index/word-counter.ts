/**
 * Counts the words of one text. Most words of a text occur in it more than once; counting them here, in a table
 * small enough for the processor's cache, spares most of the look-ups in the vocabulary, which is not.
 */
import { beginsSo } from '../../notes/text/stems.ts';
import { MAX_TOKEN, TermScanner, unitsOf } from '../../notes/text/tokens.ts';

const SLOTS = 8192;
const MASK = SLOTS - 1;
const MOST_WORDS = SLOTS / 2;

interface CountedText {
  /** The number of words, repetitions included. */
  readonly length: number;
  /** True when a run of letters was longer than what is indexed of it. */
  readonly hasLongRun: boolean;
}

export type TakeWord = (units: Uint16Array, start: number, end: number, hash: number, count: number) => void;

export class WordCounter {
  readonly #hashes = new Int32Array(SLOTS);
  readonly #starts = new Uint32Array(SLOTS);
  readonly #ends = new Uint32Array(SLOTS);
  /** 0 where the slot is free. */
  readonly #counts = new Uint32Array(SLOTS);
  readonly #used = new Uint32Array(MOST_WORDS);
  #usedCount = 0;
  #units: Uint16Array<ArrayBuffer> | undefined;

  /**
   * Calls `take` for every word with its number of occurrences, or only for those that begin as they should; several
   * times for one word where the text has very many.
   */
  count(folded: string, take: TakeWord, begins?: Uint8Array): CountedText {
    const counts = this.#counts;
    const hashes = this.#hashes;
    const starts = this.#starts;
    const ends = this.#ends;
    const units = unitsOf(folded, this.#units);
    this.#units = units;
    let length = 0;
    let hasLongRun = false;
    for (const terms = new TermScanner(folded, units); terms.next(); ) {
      const { start, end, hash } = terms;
      if (!terms.isPair) length++;
      if (end - start === MAX_TOKEN) hasLongRun = true;
      if (begins && !beginsSo(begins, units, start, end)) continue;
      let slot = hash & MASK;
      while (
        counts[slot] !== 0 &&
        !(hashes[slot] === hash && isSame(units, starts[slot]!, ends[slot]!, start, end))
      )
        slot = (slot + 1) & MASK;
      if (counts[slot]!++ > 0) continue;
      hashes[slot] = hash;
      starts[slot] = start;
      ends[slot] = end;
      this.#used[this.#usedCount++] = slot;
      if (this.#usedCount === MOST_WORDS) this.#handOver(units, take);
    }
    this.#handOver(units, take);
    return { length, hasLongRun };
  }

  #handOver(units: Uint16Array, take: TakeWord): void {
    for (let at = 0; at < this.#usedCount; at++) {
      const slot = this.#used[at]!;
      take(units, this.#starts[slot]!, this.#ends[slot]!, this.#hashes[slot]!, this.#counts[slot]!);
      this.#counts[slot] = 0;
    }
    this.#usedCount = 0;
  }
}

function isSame(units: Uint16Array, a: number, aEnd: number, b: number, bEnd: number): boolean {
  if (aEnd - a !== bEnd - b) return false;
  for (let i = a, j = b; i < aEnd; i++, j++) if (units[i] !== units[j]) return false;
  return true;
}
