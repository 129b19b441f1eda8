/** Which words of the vocabulary share a stem: looked up for every word of a query, so kept ready. */
import { GrowingUint32 } from './growing.ts';
import { stem } from './stem.ts';
import { Vocabulary, type VocabularyArrays } from './vocabulary.ts';

const END = 0xffffffff;

export interface StemGroupArrays {
  readonly stems: VocabularyArrays;
  /** Per stem: its newest word. */
  readonly heads: Uint32Array;
  /** Per word: the next older word with the same stem. */
  readonly nexts: Uint32Array;
}

export class StemGroups {
  readonly #stems: Vocabulary;
  readonly #heads: GrowingUint32;
  readonly #nexts: GrowingUint32;

  constructor(arrays?: StemGroupArrays) {
    this.#stems = new Vocabulary(arrays?.stems);
    this.#heads = new GrowingUint32(arrays?.heads, arrays?.heads.length);
    this.#nexts = new GrowingUint32(arrays?.nexts, arrays?.nexts.length);
  }

  arrays(): StemGroupArrays {
    return { stems: this.#stems.arrays(), heads: this.#heads.used(), nexts: this.#nexts.used() };
  }

  /** Words come in the order of their numbers. */
  add(text: string): void {
    const reduced = stem(text);
    const group = this.#stems.add(reduced, 0, reduced.length);
    if (group === this.#heads.length) this.#heads.push(END);
    const word = this.#nexts.push(this.#heads.values[group]!);
    this.#heads.values[group] = word;
  }

  /** Numbers of the words that share the stem of `text`. */
  *wordsLike(text: string): Generator<number> {
    const group = this.#stems.find(stem(text));
    if (group === undefined) return;
    for (let word = this.#heads.values[group]!; word !== END; word = this.#nexts.values[word]!) yield word;
  }
}
