/**
 * Counts the words of one text. Most words of a text occur in it more than once; counting them here, in a table
 * small enough for the processor's cache, spares most of the look-ups in the vocabulary, which is not.
 */
import { forEachToken, MAX_TOKEN } from '../notes/words/tokens.ts';

const SLOTS = 8192;
const MASK = SLOTS - 1;
const MOST_WORDS = SLOTS / 2;

export interface CountedText {
  /** Words in it, each as often as it occurs. */
  readonly length: number;
  /** Whether a run of letters was cut off at the length that is indexed. */
  readonly hasLongRun: boolean;
}

type TakeWord = (units: Uint16Array, start: number, end: number, hash: number, count: number) => void;

export class WordCounter {
  readonly #hashes = new Uint32Array(SLOTS);
  readonly #starts = new Uint32Array(SLOTS);
  readonly #ends = new Uint32Array(SLOTS);
  /** 0 where the slot is free. */
  readonly #counts = new Uint32Array(SLOTS);
  readonly #used = new Uint32Array(MOST_WORDS);
  #usedCount = 0;

  /** Calls `take` for every word with how often it occurred, for the same one more than once if there are very many. */
  count(folded: string, take: TakeWord): CountedText {
    const hashes = this.#hashes;
    const starts = this.#starts;
    const ends = this.#ends;
    const counts = this.#counts;
    let length = 0;
    let hasLongRun = false;
    let all: Uint16Array | undefined;
    forEachToken(folded, (start, end, hash, units) => {
      length++;
      if (end - start === MAX_TOKEN) hasLongRun = true;
      all = units;
      let slot = hash & MASK;
      while (counts[slot] !== 0) {
        if (hashes[slot] === hash && isSame(units, starts[slot]!, ends[slot]!, start, end)) {
          counts[slot]!++;
          return;
        }
        slot = (slot + 1) & MASK;
      }
      hashes[slot] = hash;
      starts[slot] = start;
      ends[slot] = end;
      counts[slot] = 1;
      this.#used[this.#usedCount++] = slot;
      if (this.#usedCount === MOST_WORDS) this.#handOver(units, take);
    });
    if (all) this.#handOver(all, take);
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
