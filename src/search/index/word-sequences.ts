/**
 * The words of notes in their order, by their hashes: to see how near words stand to each other, and where, a search would
 * otherwise cut its best notes into words again and again. To look each word up in the vocabulary as well would take
 * longer than all the rest, and only feedback needs that, of a few notes.
 */
import type { FoldedText } from '../../notes/text/fold.ts';
import { TermScanner, unitsOf } from '../../notes/text/tokens.ts';
import type { NoteIndex } from './note-index.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A bit that marks a term which overlaps the words beside it. */
const PAIR = 0x80000000;
/** The bits of a hash that are left. */
const HASH = 0x7fffffff;

export interface WordSequence {
  /** Their hashes, in the order of `forEachTerm`. */
  readonly words: Uint32Array;
  /** Per term: where it begins in the folded text. */
  readonly starts: Uint32Array;
  /** Per term, where there are pairs: how many words stand before it, or before the last word it is a pair of. */
  readonly wordsBefore: Uint32Array | undefined;
  /** A Bloom filter of one hash. */
  readonly filter: Uint32Array;
  /** By the last bits of a hash: the first place with such a word, plus one. */
  readonly heads: Places;
  /** Per term: the next place with such a word, plus one. */
  readonly nexts: Places;
}

type Places = Uint16Array | Uint32Array;

/** The hash that a word of the vocabulary has in a sequence. */
export function hashIn(vocabulary: Vocabulary, word: number): number {
  return vocabulary.hash(word) & HASH;
}

/** Puts the places of the word with this hash into `found`, from `count` on; returns how many there are then. */
export function findPlaces(
  { words, filter, heads, nexts }: WordSequence,
  word: number,
  found: Uint32Array,
  count: number,
): number {
  // Of the many words that begin as one of the query does, a note has few: most are told by one look at a small table.
  if ((filter[(word >>> BITS_OF_A_PLACE) & (filter.length - 1)]! & (1 << (word & 31))) === 0) return count;
  let end = count;
  for (let place = heads[word & (heads.length - 1)]!; place > 0; place = nexts[place - 1]!)
    if ((words[place - 1]! & HASH) === word) found[end++] = place - 1;
  return end;
}

/** How many terms share one entry of `heads` on average, at most. */
const TERMS_PER_HEAD = 4;
/** How many terms share 32 bits of the filter: four bits a term, of which many are of the same word. */
const TERMS_PER_FILTER = 8;
/** The bit within 32 is told by the last bits of a hash, which of them by others. */
const BITS_OF_A_PLACE = 9;

/** The places of the terms, linked by the last bits of their hashes: a query looks for few words among many. */
function linked(words: Uint32Array): Pick<WordSequence, 'filter' | 'heads' | 'nexts'> {
  const size = powerOfTwo(words.length / TERMS_PER_HEAD);
  const filter = new Uint32Array(powerOfTwo(words.length / TERMS_PER_FILTER));
  const heads = placesFor(words.length, size);
  const nexts = placesFor(words.length, words.length);
  for (let at = words.length - 1; at >= 0; at--) {
    const word = words[at]! & HASH;
    filter[(word >>> BITS_OF_A_PLACE) & (filter.length - 1)]! |= 1 << (word & 31);
    const head = word & (size - 1);
    nexts[at] = heads[head]!;
    heads[head] = at + 1;
  }
  return { filter, heads, nexts };
}

function powerOfTwo(least: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, least)));
}

function placesFor(terms: number, length: number): Places {
  return terms < 0xffff ? new Uint16Array(length) : new Uint32Array(length);
}

/** What different words of several sequences add up to, in the order of their first occurrence. */
export interface WordShares {
  readonly words: readonly number[];
  readonly shares: readonly number[];
}

/** The most words that all sequences in the cache have together; each takes about twelve bytes. */
const MOST_WORDS = 1_200_000;

/** Caches the sequences of the notes of one index by their numbers: a note that changes gets another. */
export class WordSequences {
  readonly #index: NoteIndex;
  readonly #known = new Map<number, WordSequence>();
  readonly #ofText = new WeakMap<FoldedText, WordSequence>();
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
  in(folded: FoldedText, note: number): WordSequence {
    const known = this.#known.get(note);
    if (known) return known;
    const sequence = this.#sequenceOf(folded.text);
    this.#keep(note, sequence);
    this.#ofText.set(folded, sequence);
    return sequence;
  }

  /** Whether the sequence is known to be that of this text: a note may have changed since. */
  isOf(sequence: WordSequence, folded: FoldedText): boolean {
    return this.#ofText.get(folded) === sequence;
  }

  /** The share that each word has of these sequences, which count by their weights. Pairs are left out. */
  sharesIn(notes: readonly { readonly words: Uint32Array; readonly weight: number }[]): WordShares {
    const { vocabulary } = this.#index;
    if (this.#places.length < vocabulary.size) this.#places = new Uint32Array(vocabulary.size * 2);
    const places = this.#places;
    const words: number[] = [];
    const shares: number[] = [];
    for (const { words: all, weight } of notes) {
      const share = weight / all.length;
      for (let at = 0; at < all.length; at++) {
        const word = all[at]! < PAIR ? vocabulary.withHash(all[at]!, HASH) : undefined;
        if (word === undefined) continue;
        const place = places[word]!;
        if (place > 0) shares[place - 1]! += share;
        else {
          places[word] = words.push(word);
          shares.push(share);
        }
      }
    }
    for (const word of words) places[word] = 0;
    return { words, shares };
  }

  #sequenceOf(folded: string): WordSequence {
    const units = unitsOf(folded, this.#units);
    this.#units = units;
    let count = 0;
    let pairs = 0;
    for (const terms = new TermScanner(folded, units); terms.next(); ) {
      if (count === this.#found.length) this.#grow();
      this.#starts[count] = terms.start;
      if (terms.isPair) pairs++;
      this.#found[count++] = terms.isPair ? (terms.hash & HASH) + PAIR : terms.hash & HASH;
    }
    const words = this.#found.slice(0, count);
    const wordsBefore = pairs > 0 ? countWords(words) : undefined;
    return { words, starts: this.#starts.slice(0, count), wordsBefore, ...linked(words) };
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

function countWords(words: Uint32Array): Uint32Array {
  const before = new Uint32Array(words.length);
  let count = -1;
  for (let at = 0; at < words.length; at++) before[at] = words[at]! < PAIR ? ++count : count;
  return before;
}

function doubled(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}
