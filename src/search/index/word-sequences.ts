/**
 * The words of notes in their order, as numbers of the vocabulary: to see how near words stand to each other, a search
 * would otherwise cut its best notes into words again and again.
 */
import { forEachTerm, unitsOf } from '../../notes/text/tokens.ts';
import type { NoteIndex } from './note-index.ts';

/** A bit that marks a term which overlaps the words beside it. */
const PAIR = 0x80000000;
/** Stands in place of a word that no indexed note holds. */
const UNKNOWN = 0x7fffffff;

/** Calls `visit` for every term, as `forEachTerm` does, with its number and how many words stand before it. */
export function forEachWord(
  sequence: Uint32Array,
  visit: (word: number, wordsBefore: number, isPair: boolean) => void,
): void {
  let wordsBefore = -1;
  for (let at = 0; at < sequence.length; at++) {
    const term = sequence[at]!;
    const isPair = term >= PAIR;
    if (!isPair) wordsBefore++;
    visit(isPair ? term - PAIR : term, wordsBefore, isPair);
  }
}

/** The most words that all sequences in the cache have together. */
const MOST_WORDS = 2_000_000;

/** Caches the sequences of the notes of one index by their numbers: a note that changes gets another. */
export class WordSequences {
  readonly #index: NoteIndex;
  readonly #known = new Map<number, Uint32Array>();
  #words = 0;
  #units: Uint16Array<ArrayBuffer> | undefined;
  #found = new Uint32Array(4096);

  constructor(index: NoteIndex) {
    this.#index = index;
  }

  /** `read` gives the folded text when the sequence of the note is not known. Undefined when it gives none. */
  async of(note: number, read: () => Promise<string | undefined>): Promise<Uint32Array | undefined> {
    const known = this.#known.get(note);
    if (known) return known;
    const folded = await read();
    if (folded === undefined) return undefined;
    const sequence = this.#sequenceOf(folded);
    // A text that is newer than the index has words that get a number later.
    if (!sequence.includes(UNKNOWN) && !sequence.includes(UNKNOWN + PAIR)) this.#keep(note, sequence);
    return sequence;
  }

  #sequenceOf(folded: string): Uint32Array {
    const { vocabulary } = this.#index;
    const units = unitsOf(folded, this.#units);
    this.#units = units;
    let count = 0;
    const visit = (start: number, end: number, hash: number, isPair: boolean) => {
      if (count === this.#found.length) this.#grow();
      const word = vocabulary.numberOf(units, start, end, hash) ?? UNKNOWN;
      this.#found[count++] = isPair ? word + PAIR : word;
    };
    forEachTerm(folded, visit, units);
    return this.#found.slice(0, count);
  }

  #grow(): void {
    const larger = new Uint32Array(this.#found.length * 2);
    larger.set(this.#found);
    this.#found = larger;
  }

  #keep(note: number, sequence: Uint32Array): void {
    this.#words += sequence.length;
    if (this.#words > MOST_WORDS) {
      this.#known.clear();
      this.#words = sequence.length;
    }
    this.#known.set(note, sequence);
  }
}
