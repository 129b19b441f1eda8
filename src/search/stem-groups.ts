/** Which words of the vocabulary share a stem: looked up for every word of a query, so kept ready. */

import { stem } from '../notes/words/stem.ts';
import { GrowingUint32 } from './growing.ts';
import { type PackedVocabulary, Vocabulary } from './vocabulary.ts';

const END = 0xffffffff;

export interface PackedStems {
  readonly stems: PackedVocabulary;
  /** Per stem: its newest word. */
  readonly heads: Uint32Array;
  /** Per word: the next older word with the same stem. */
  readonly nexts: Uint32Array;
}

export class StemGroups {
  readonly #stems: Vocabulary;
  readonly #heads: GrowingUint32;
  readonly #nexts: GrowingUint32;

  constructor(packed?: PackedStems) {
    this.#stems = new Vocabulary(packed?.stems);
    this.#heads = new GrowingUint32(packed?.heads.slice(), packed?.heads.length);
    this.#nexts = new GrowingUint32(packed?.nexts, packed?.nexts.length);
  }

  /** Words in it. */
  get size(): number {
    return this.#nexts.length;
  }

  pack(): PackedStems {
    return { stems: this.#stems.pack(), heads: this.#heads.used().slice(), nexts: this.#nexts.used() };
  }

  /** Words come in the order of their numbers. */
  add(text: string): void {
    const group = this.#stems.addText(stem(text));
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
