/**
 * The words of notes in their order, as numbers of the vocabulary: to see how near words stand to each other, and where,
 * a search would otherwise cut its best notes into words again and again.
 */
import { forEachTerm, unitsOf } from '../../notes/text/tokens.ts';
import type { NoteIndex } from './note-index.ts';

/** A bit that marks a term which overlaps the words beside it. */
const PAIR = 0x80000000;
/** Stands in place of a word that no indexed note holds. */
const UNKNOWN = 0x7fffffff;

export interface WordSequence {
  /** In the order of `forEachTerm`. */
  readonly words: Uint32Array;
  readonly hasPairs: boolean;
  /** Per term: where it begins in the folded text. */
  readonly starts: Uint32Array;
}

/** The number of the term at a place of the sequence. */
export function wordAt({ words }: WordSequence, at: number): number {
  return words[at]! & UNKNOWN;
}

/** A table by the last bits of a number, small enough for the processor's cache: most words are passed over by one look. */
const FILTER_SIZE = 8192;
const FILTER_BITS = FILTER_SIZE - 1;

export function createWordFilter(words: Iterable<number>): Uint8Array {
  const filter = new Uint8Array(FILTER_SIZE);
  for (const word of words) filter[word & FILTER_BITS] = 1;
  return filter;
}

/** Calls `visit` for every term that passes the filter, with its place in the sequence and how many words stand before it. */
export function forEachPassing(
  { words, hasPairs }: WordSequence,
  filter: Uint8Array,
  visit: (at: number, wordsBefore: number) => void,
): void {
  if (!hasPairs) {
    for (let at = 0; at < words.length; at++) if (filter[words[at]! & FILTER_BITS] !== 0) visit(at, at);
    return;
  }
  let wordsBefore = -1;
  for (let at = 0; at < words.length; at++) {
    const term = words[at]!;
    if (term < PAIR) wordsBefore++;
    if (filter[term & FILTER_BITS] !== 0) visit(at, wordsBefore);
  }
}

/** What different words of several sequences add up to, in the order of their first occurrence. */
export interface WordShares {
  readonly words: readonly number[];
  readonly shares: readonly number[];
}

/** The most words that all sequences in the cache have together. */
const MOST_WORDS = 1_500_000;

/** Caches the sequences of the notes of one index by their numbers: a note that changes gets another. */
export class WordSequences {
  readonly #index: NoteIndex;
  readonly #known = new Map<number, WordSequence>();
  #words = 0;
  #units: Uint16Array<ArrayBuffer> | undefined;
  #found = new Uint32Array(4096);
  #starts = new Uint32Array(4096);
  /** Per word, while shares are added up: its place among them, plus one. */
  #places = new Uint32Array(0);

  constructor(index: NoteIndex) {
    this.#index = index;
  }

  /** Only from the cache. */
  peek(note: number): WordSequence | undefined {
    return this.#known.get(note);
  }

  /** The sequence of a note with this folded text. */
  in(folded: string, note: number): WordSequence {
    const known = this.#known.get(note);
    if (known) return known;
    const sequence = this.#sequenceOf(folded);
    // A text that is newer than the index has words that get a number later.
    const { words } = sequence;
    if (!words.includes(UNKNOWN) && !words.includes(UNKNOWN + PAIR)) this.#keep(note, sequence);
    return sequence;
  }

  /** The share that each word has of these sequences, which count by their weights. Pairs are left out. */
  sharesIn(notes: readonly { readonly words: Uint32Array; readonly weight: number }[]): WordShares {
    const { size } = this.#index.vocabulary;
    if (this.#places.length < size) this.#places = new Uint32Array(size * 2);
    const places = this.#places;
    const words: number[] = [];
    const shares: number[] = [];
    for (const { words: all, weight } of notes)
      addShares(all, weight / all.length, { places, words, shares });
    for (const word of words) places[word] = 0;
    return { words, shares };
  }

  #sequenceOf(folded: string): WordSequence {
    const { vocabulary } = this.#index;
    const units = unitsOf(folded, this.#units);
    this.#units = units;
    let count = 0;
    let hasPairs = false;
    const visit = (start: number, end: number, hash: number, isPair: boolean) => {
      if (count === this.#found.length) this.#grow();
      const word = vocabulary.numberOf(units, start, end, hash) ?? UNKNOWN;
      this.#starts[count] = start;
      hasPairs ||= isPair;
      this.#found[count++] = isPair ? word + PAIR : word;
    };
    forEachTerm(folded, visit, units);
    return {
      words: this.#found.slice(0, count),
      hasPairs,
      starts: this.#starts.slice(0, count),
    };
  }

  #grow(): void {
    this.#found = doubled(this.#found);
    this.#starts = doubled(this.#starts);
  }

  #keep(note: number, sequence: WordSequence): void {
    this.#words += sequence.words.length;
    if (this.#words > MOST_WORDS) {
      this.#known.clear();
      this.#words = sequence.words.length;
    }
    this.#known.set(note, sequence);
  }
}

function doubled(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

/** A function of its own, which V8 compiles soon. */
function addShares(
  all: Uint32Array,
  share: number,
  { places, words, shares }: { places: Uint32Array; words: number[]; shares: number[] },
): void {
  for (let at = 0; at < all.length; at++) {
    const word = all[at]!;
    if (word >= UNKNOWN) continue;
    const place = places[word]!;
    if (place > 0) shares[place - 1]! += share;
    else {
      places[word] = words.push(word);
      shares.push(share);
    }
  }
}
