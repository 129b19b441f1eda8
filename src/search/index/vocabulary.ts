/**
 * The words of all notes, each once, numbered in the order of their first occurrence. Letters stand in one array with a zero
 * between words, so that looking for words that begin with, end with or contain something is one scan.
 */
import { hashOf, MAX_TOKEN, unitsOf } from '../../notes/text/tokens.ts';
import { PartFilter } from './part-filter.ts';
import { GrowingUint16, GrowingUint32 } from './postings.ts';
import { letterSetOf, maySlip, WordShapes } from './word-shapes.ts';

export const EMPTY = 0xffffffff;
const SMALLEST_TABLE = 4096;
const REMEMBERED = 200;
/** So many lookups go through all letters before the words are listed by their ends: a first search should not wait for that. */
const FEW_LOOKUPS = 10;

/** Fewer are looked through sooner than stretches of them are told apart; of more, that pays after a few lookups. */
const MANY_LETTERS = 200_000;
/** Here it pays at once. */
const VERY_MANY_LETTERS = 4_000_000;

export interface PackedVocabulary {
  readonly letters: Uint16Array;
  readonly starts: Uint32Array;
  /** Word numbers by the hash of the word; a power of two of them. */
  readonly table: Uint32Array;
}

export class Vocabulary {
  readonly #letters: GrowingUint16;
  /** The letters as they are now, or as they were before they grew. */
  #letterBytes: Buffer = Buffer.alloc(0);
  readonly #starts: GrowingUint32;
  #table: Uint32Array;
  /** The word that is looked up, letter by letter. */
  readonly #units = new Uint16Array(MAX_TOKEN + 2);
  /** The words found for each part that was looked for since the last new word: successive searches share words. */
  readonly #looked = new Map<string, readonly number[]>();
  #lookups = 0;
  #edges = new Map<'start' | 'end', WordEdges>();
  #filter = new PartFilter();
  #shapes = new WordShapes();
  /** The helpers that take up words now. */
  readonly #growing = new Set<PartFilter | WordShapes>();

  constructor(packed?: PackedVocabulary) {
    this.#letters = new GrowingUint16(packed?.letters, packed?.letters.length);
    this.#starts = new GrowingUint32(packed?.starts, packed?.starts.length);
    this.#table = packed?.table.slice() ?? new Uint32Array(SMALLEST_TABLE).fill(EMPTY);
    if (!packed) this.#letters.push(0);
  }

  get size(): number {
    return this.#starts.length;
  }

  pack(): PackedVocabulary {
    return { letters: this.#letters.used(), starts: this.#starts.used(), table: this.#table.slice() };
  }

  /** Of the vocabulary that this one was packed from, it takes over what lists words, unless that lists later ones too. */
  takeListsOf(before: Vocabulary): void {
    const { size } = this;
    const listed = [...before.#edges.values()].map(({ nexts }) => nexts.length);
    if (Math.max(before.#shapes.size, ...listed) > size || before.#filter.letters > this.#letters.length)
      return;
    this.#edges = before.#edges;
    this.#filter = before.#filter;
    this.#shapes = before.#shapes;
    this.#lookups = before.#lookups;
    before.#edges = new Map();
    before.#filter = new PartFilter();
    before.#shapes = new WordShapes();
  }

  /** The number of the word at `start` to `end` of `units`, added if it is new. */
  add(units: Uint16Array, start: number, end: number, hash: number): number {
    const slot = this.#slotOf(units, start, end, hash);
    const known = this.#table[slot]!;
    if (known !== EMPTY) return known;
    if (this.#looked.size > 0) this.#looked.clear();
    const word = this.#starts.push(this.#letters.length);
    for (let at = start; at < end; at++) this.#letters.push(units[at]!);
    this.#letters.push(0);
    this.#table[slot] = word;
    if (this.size * 2 > this.#table.length) this.#rehash();
    return word;
  }

  addText(text: string): number {
    const units = unitsOf(text, this.#units);
    return this.add(units, 0, text.length, hashOf(units, 0, text.length));
  }

  find(text: string): number | undefined {
    const units = unitsOf(text, this.#units);
    return this.numberOf(units, 0, text.length, hashOf(units, 0, text.length));
  }

  /** The number of the word at `start` to `end` of `units`. */
  numberOf(units: Uint16Array, start: number, end: number, hash: number): number | undefined {
    const word = this.#table[this.#slotOf(units, start, end, hash)]!;
    return word === EMPTY ? undefined : word;
  }

  /** Where the word is in the table, or would be. */
  #slotOf(units: Uint16Array, start: number, end: number, hash: number): number {
    const table = this.#table;
    const mask = table.length - 1;
    const letters = this.#letters.values;
    const starts = this.#starts.values;
    let slot = hash & mask;
    for (let word = table[slot]!; word !== EMPTY; word = table[slot]!) {
      let letter = starts[word]!;
      let at = start;
      while (at < end && letters[letter] === units[at]) {
        letter++;
        at++;
      }
      if (at === end && letters[letter] === 0) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** As `hashOf` makes it. */
  hash(number: number): number {
    return hashOf(this.#letters.values, this.#starts.values[number]!, this.#endOf(number));
  }

  /** A word whose hash has these of the `bits`; the last ones of them are those of the table. */
  withHash(hash: number, bits: number): number | undefined {
    const table = this.#table;
    const mask = table.length - 1;
    for (let slot = hash & mask; table[slot] !== EMPTY; slot = (slot + 1) & mask)
      if ((this.hash(table[slot]!) & bits) === hash) return table[slot]!;
    return undefined;
  }

  word(number: number): string {
    const { values } = this.#letters;
    if (this.#letterBytes.buffer !== values.buffer)
      this.#letterBytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    const start = this.#starts.values[number]!;
    return this.#letterBytes.toString('utf16le', start * 2, this.#endOf(number) * 2);
  }

  /** Whether the word, or a longer one that begins with it, stands at this place of a folded text. */
  standsAt(number: number, folded: string, start: number): boolean {
    const letters = this.#letters.values;
    const from = this.#starts.values[number]!;
    const length = this.lengthOf(number);
    for (let at = 0; at < length; at++)
      if (letters[from + at] !== folded.charCodeAt(start + at)) return false;
    return true;
  }

  lengthOf(number: number): number {
    return this.#endOf(number) - this.#starts.values[number]!;
  }

  /** Words that contain `part` at the wanted place, in the order they came. */
  containing(part: string, place: 'anywhere' | 'start' | 'end'): readonly number[] {
    return this.#remembered(`${place} ${part}`, () => {
      const isAtEdge = place !== 'anywhere' && part.length > 1 && this.#lookups++ >= FEW_LOOKUPS;
      return isAtEdge ? this.#lookAtEdge(part, place) : this.#lookFor(part, place);
    });
  }

  #remembered(key: string, lookFor: () => number[]): readonly number[] {
    const known = this.#looked.get(key);
    if (known) return known;
    if (this.#looked.size >= REMEMBERED) this.#looked.clear();
    const found = lookFor();
    this.#looked.set(key, found);
    return found;
  }

  #lookAtEdge(part: string, place: 'start' | 'end'): number[] {
    const letters = this.#letters.values;
    const starts = this.#starts.values;
    const units = unitsOf(part);
    const { heads, nexts } = this.#edgesAt(place);
    const found: number[] = [];
    const first = place === 'start' ? 0 : part.length - 2;
    for (let next = heads[edgeKey(units, first)]!; next > 0; next = nexts.values[next - 1]!) {
      const word = next - 1;
      const from = place === 'start' ? starts[word]! : this.#endOf(word) - part.length;
      if (from < starts[word]!) continue;
      let at = 0;
      while (at < part.length && letters[from + at] === units[at]) at++;
      if (at === part.length) found.push(word);
    }
    return found.reverse();
  }

  /** Takes up words that have come since the last time. */
  #edgesAt(place: 'start' | 'end'): WordEdges {
    const known = this.#edges.get(place);
    const edges = known ?? { heads: new Uint32Array(EDGE_KEYS), nexts: new GrowingUint32() };
    if (!known) this.#edges.set(place, edges);
    const letters = this.#letters.values;
    for (let word = edges.nexts.length; word < this.size; word++) {
      const key = edgeKey(letters, place === 'start' ? this.#starts.values[word]! : this.#endOf(word) - 2);
      edges.nexts.push(edges.heads[key]!);
      edges.heads[key] = word + 1;
    }
    return edges;
  }

  #lookFor(part: string, place: 'anywhere' | 'start' | 'end'): number[] {
    const { values, length } = this.#letters;
    const found: number[] = [];
    for (const [from, to] of this.#stretchesWith(part)) {
      const last = Math.min(length, to + part.length - 1);
      const bytes = Buffer.from(values.buffer, values.byteOffset, last * 2);
      // The zeros beside a word are checked afterwards, because a search for a zero would stop everywhere.
      for (let at = bytes.indexOf(part, from * 2, 'utf16le'); at >= 0; ) {
        const letter = at / 2;
        const isThere =
          place === 'anywhere' || values[place === 'start' ? letter - 1 : letter + part.length] === 0;
        let next = letter + 1;
        if (isThere) {
          const word = this.#wordAt(letter);
          if (word !== found.at(-1)) found.push(word);
          next = this.#endOf(word);
        }
        at = bytes.indexOf(part, next * 2, 'utf16le');
      }
    }
    return found;
  }

  /** All letters, or those stretches of very many that can hold the part. */
  #stretchesWith(part: string): Iterable<readonly [from: number, to: number]> {
    const { length } = this.#letters;
    if (length < MANY_LETTERS || part.length < 3) return [[0, length]];
    if (length < VERY_MANY_LETTERS && this.#lookups++ < FEW_LOOKUPS) return [[0, length]];
    this.#growFilter();
    return this.#filter.stretchesWith(part, length);
  }

  /** Lists very many words before a search asks for that. */
  listAhead(): void {
    if (this.#letters.length < VERY_MANY_LETTERS) return;
    this.#growFilter();
    this.#growShapes();
  }

  #growFilter(): void {
    const filter = this.#filter;
    this.#grow(filter, () => filter.extend(this.#letters.values, this.#letters.length));
  }

  #growShapes(): void {
    const shapes = this.#shapes;
    this.#grow(shapes, () => shapes.extend(this.#letters.values, this.#starts.used(), this.#letters.length));
  }

  /** Does one step now, and further ones between requests: no search waits for all of them. */
  #grow(list: PartFilter | WordShapes, step: () => boolean): void {
    if (this.#growing.has(list)) return;
    const goOn = () => {
      const isOurs = list === this.#filter || list === this.#shapes;
      if (isOurs && step()) setImmediate(goOn).unref();
      else this.#growing.delete(list);
    };
    this.#growing.add(list);
    goOn();
  }

  /** Words that begin as `text` does and may be `slips` edits away from it: about as long, of mostly the same letters. */
  maybeNear(text: string, slips: number): number[] {
    const letters = this.#letters.values;
    const starts = this.#starts.used();
    this.#growShapes();
    const units = unitsOf(text);
    const wanted = letterSetOf(units, 0, text.length);
    const beginsAlike = (word: number) => letters[starts[word]!] === units[0];
    const near = this.#shapes.near(units, text.length, slips).filter(beginsAlike);
    for (let word = this.#shapes.size; word < starts.length; word++) {
      if (!beginsAlike(word) || Math.abs(this.lengthOf(word) - text.length) > slips) continue;
      if (maySlip(letterSetOf(letters, starts[word]!, this.#endOf(word)), wanted, slips)) near.push(word);
    }
    return near;
  }

  #endOf(word: number): number {
    const next = word + 1 < this.size ? this.#starts.values[word + 1]! : this.#letters.length;
    return next - 1;
  }

  #wordAt(letter: number): number {
    const starts = this.#starts.values;
    let low = 0;
    let high = this.size;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= letter) low = middle;
      else high = middle;
    }
    return low;
  }

  #rehash(): void {
    this.#table = new Uint32Array(this.#table.length * 2).fill(EMPTY);
    for (let word = 0; word < this.size; word++) this.#enter(word);
  }

  #enter(word: number): void {
    const start = this.#starts.values[word]!;
    const mask = this.#table.length - 1;
    let slot = hashOf(this.#letters.values, start, this.#endOf(word)) & mask;
    while (this.#table[slot] !== EMPTY) slot = (slot + 1) & mask;
    this.#table[slot] = word;
  }
}

/** The words by the two letters at one of their ends. */
interface WordEdges {
  /** By `edgeKey`: the last such word, plus one. */
  readonly heads: Uint32Array;
  /** Per word: the one before it, plus one. */
  readonly nexts: GrowingUint32;
}

const EDGE_KEYS = 4096;

function edgeKey(letters: Uint16Array, at: number): number {
  return (letters[at]! * 31 + letters[at + 1]!) & (EDGE_KEYS - 1);
}
