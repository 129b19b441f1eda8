/** The words of a vocabulary by what they begin with, and which of those are inflections of one word. */
import { beginningOf, lemmaOf, lemmaOfNew } from '../../notes/text/stems.ts';
import { hashOfText } from '../../notes/text/tokens.ts';
import { GrowingUint16, GrowingUint32 } from './postings.ts';
import { EMPTY, type PackedVocabulary, Vocabulary } from './vocabulary.ts';

export interface PackedStems {
  readonly stems: PackedVocabulary;
  /** Per stem: its newest word. */
  readonly heads: Uint32Array;
  /** Per word: the next older word with the same stem. */
  readonly nexts: Uint32Array;
  /** Per word: a hash of its lemma. Of words with the same stem, those with the same hash are inflections of one. */
  readonly lemmas: Uint16Array;
}

/** The words of the vocabulary by term. */
export class StemGroups {
  readonly #stems: Vocabulary;
  readonly #heads: GrowingUint32;
  readonly #nexts: GrowingUint32;
  readonly #lemmas: GrowingUint16;

  constructor(packed?: PackedStems) {
    this.#stems = new Vocabulary(packed?.stems);
    this.#heads = new GrowingUint32(packed?.heads.slice(), packed?.heads.length);
    this.#nexts = new GrowingUint32(packed?.nexts, packed?.nexts.length);
    this.#lemmas = new GrowingUint16(packed?.lemmas, packed?.lemmas.length);
  }

  get size(): number {
    return this.#nexts.length;
  }

  pack(): PackedStems {
    return {
      stems: this.#stems.pack(),
      heads: this.#heads.used().slice(),
      nexts: this.#nexts.used(),
      lemmas: this.#lemmas.used(),
    };
  }

  /** How many groups of words with one term there are. */
  get groups(): number {
    return this.#heads.length;
  }

  term(group: number): string {
    return this.#stems.word(group);
  }

  *wordsOf(group: number): Generator<number> {
    for (let word = this.#heads.values[group]!; word !== EMPTY; word = this.#nexts.values[word]!) yield word;
  }

  /** Must be called in the order of the numbers of the words. */
  add(text: string): void {
    const lemma = lemmaOfNew(text);
    const group = this.#stems.addText(beginningOf(lemma));
    if (group === this.#heads.length) this.#heads.push(EMPTY);
    const word = this.#nexts.push(this.#heads.values[group]!);
    this.#heads.values[group] = word;
    this.#lemmas.push(markOf(lemma));
  }

  /** Calls `visit` with the numbers of the words that share the term of `text`: its inflections, and words that begin alike. */
  forEachLike(text: string, visit: (word: number, isInflection: boolean) => void): void {
    const lemma = lemmaOf(text);
    const group = this.#stems.find(beginningOf(lemma));
    if (group === undefined) return;
    const mark = markOf(lemma);
    for (let word = this.#heads.values[group]!; word !== EMPTY; word = this.#nexts.values[word]!)
      visit(word, this.#lemmas.values[word] === mark);
  }
}

function markOf(lemma: string): number {
  const hash = hashOfText(lemma);
  return (hash ^ (hash >>> 16)) & 0xffff;
}
