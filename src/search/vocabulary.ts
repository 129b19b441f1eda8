/**
 * The words of all notes, each once, numbered in the order they came. Letters stand in one array with a zero
 * between words, so that looking for words that begin with, end with or contain something is one scan.
 */
import { GrowingUint16, GrowingUint32 } from './growing.ts';

const EMPTY = 0xffffffff;
const REMEMBERED = 200;

export interface VocabularyArrays {
  readonly letters: Uint16Array;
  readonly starts: Uint32Array;
}

export class Vocabulary {
  readonly #letters: GrowingUint16;
  readonly #starts: GrowingUint32;
  #table: Uint32Array;
  /** What was looked for since the last new word: people search for the same words again. */
  readonly #looked = new Map<string, readonly number[]>();

  constructor(arrays?: VocabularyArrays) {
    this.#letters = new GrowingUint16(arrays?.letters, arrays?.letters.length);
    this.#starts = new GrowingUint32(arrays?.starts, arrays?.starts.length);
    if (!arrays) this.#letters.push(0);
    this.#table = new Uint32Array(tableSize(this.size)).fill(EMPTY);
    for (let word = 0; word < this.size; word++) this.#enter(word);
  }

  get size(): number {
    return this.#starts.length;
  }

  arrays(): VocabularyArrays {
    return { letters: this.#letters.used(), starts: this.#starts.used() };
  }

  /** The number of the word at `start` to `end` of `text`, added if it is new. */
  add(text: string, start: number, end: number): number {
    let slot = hashText(text, start, end) & (this.#table.length - 1);
    for (let word = this.#table[slot]!; word !== EMPTY; word = this.#table[slot]!) {
      if (this.#equals(word, text, start, end)) return word;
      slot = (slot + 1) & (this.#table.length - 1);
    }
    if (this.#looked.size > 0) this.#looked.clear();
    const word = this.#starts.push(this.#letters.length);
    for (let at = start; at < end; at++) this.#letters.push(text.charCodeAt(at));
    this.#letters.push(0);
    this.#table[slot] = word;
    if (this.size * 2 > this.#table.length) this.#rehash();
    return word;
  }

  find(text: string): number | undefined {
    let slot = hashText(text, 0, text.length) & (this.#table.length - 1);
    for (let word = this.#table[slot]!; word !== EMPTY; word = this.#table[slot]!) {
      if (this.#equals(word, text, 0, text.length)) return word;
      slot = (slot + 1) & (this.#table.length - 1);
    }
    return undefined;
  }

  word(number: number): string {
    const start = this.#starts.values[number]!;
    return String.fromCharCode(...this.#letters.values.subarray(start, this.#endOf(number)));
  }

  lengthOf(number: number): number {
    return this.#endOf(number) - this.#starts.values[number]!;
  }

  /** Words that contain `part` at the wanted place, in the order they came. */
  containing(part: string, place: 'anywhere' | 'start' | 'end'): readonly number[] {
    const key = `${place} ${part}`;
    const known = this.#looked.get(key);
    if (known) return known;
    if (this.#looked.size >= REMEMBERED) this.#looked.clear();
    const found = this.#lookFor(part, place);
    this.#looked.set(key, found);
    return found;
  }

  #lookFor(part: string, place: 'anywhere' | 'start' | 'end'): number[] {
    const { values } = this.#letters;
    const bytes = Buffer.from(values.buffer, values.byteOffset, this.#letters.length * 2);
    const found: number[] = [];
    // Looking for the letters alone and at the zeros beside them afterwards: zeros are everywhere.
    for (let at = bytes.indexOf(part, 0, 'utf16le'); at >= 0; ) {
      const letter = at / 2;
      const isThere =
        place === 'anywhere' || values[place === 'start' ? letter - 1 : letter + part.length] === 0;
      let next = letter + 1;
      if (isThere) {
        const word = this.#wordAt(letter);
        found.push(word);
        next = this.#endOf(word);
      }
      at = bytes.indexOf(part, next * 2, 'utf16le');
    }
    return found;
  }

  /** Calls `visit` for every word of a length in the range that begins with the given letter. */
  forEachLike(first: number, shortest: number, longest: number, visit: (word: number) => void): void {
    for (let word = 0; word < this.size; word++) {
      const length = this.lengthOf(word);
      if (
        length >= shortest &&
        length <= longest &&
        this.#letters.values[this.#starts.values[word]!] === first
      )
        visit(word);
    }
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

  #equals(word: number, text: string, start: number, end: number): boolean {
    if (this.lengthOf(word) !== end - start) return false;
    const from = this.#starts.values[word]!;
    for (let at = start; at < end; at++)
      if (this.#letters.values[from + at - start] !== text.charCodeAt(at)) return false;
    return true;
  }

  #rehash(): void {
    this.#table = new Uint32Array(this.#table.length * 2).fill(EMPTY);
    for (let word = 0; word < this.size; word++) this.#enter(word);
  }

  #enter(word: number): void {
    let slot = this.#hashOf(word) & (this.#table.length - 1);
    while (this.#table[slot] !== EMPTY) slot = (slot + 1) & (this.#table.length - 1);
    this.#table[slot] = word;
  }

  #hashOf(word: number): number {
    let hash = FNV_START;
    const end = this.#endOf(word);
    for (let at = this.#starts.values[word]!; at < end; at++)
      hash = Math.imul(hash ^ this.#letters.values[at]!, FNV_STEP);
    return hash >>> 0;
  }
}

const FNV_START = 0x811c9dc5;
const FNV_STEP = 0x01000193;

function hashText(text: string, start: number, end: number): number {
  let hash = FNV_START;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_STEP);
  return hash >>> 0;
}

/** A power of two at least twice the number of words. */
function tableSize(words: number): number {
  let size = 4096;
  while (size < words * 4) size *= 2;
  return size;
}
