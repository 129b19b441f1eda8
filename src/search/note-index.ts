/** Words to notes, in memory: notes are added, replaced and removed one by one; what it costs is a few typed arrays. */
import { type Folding, fold } from '../notes/fold.ts';
import type { NotePath } from '../notes/path.ts';
import { type SearchDocument, weightedParts } from './document.ts';
import { GrowingUint32 } from './growing.ts';
import { Postings } from './postings.ts';
import { StemGroups } from './stem-groups.ts';
import { forEachToken, LONG_RUN_MARK, MAX_TOKEN } from './tokens.ts';
import { Vocabulary } from './vocabulary.ts';

export const SEARCH_FOLDING: Folding = { ignoreCase: true, ignoreAccents: true, ignoreLineEndings: true };

/** Text is taken in pieces of this size, so that a giant note does not hold up everything else. */
const PIECE_CHARACTERS = 128 * 1024;

export interface IndexedNote {
  readonly path: NotePath;
  readonly size: number;
  readonly lastModified: number;
  readonly title: string;
  readonly frontmatterTags: readonly string[];
  readonly inlineTags: readonly string[];
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** Tokens in its text. */
  readonly length: number;
}

export interface IndexParts {
  readonly vocabulary: Vocabulary;
  readonly postings: Postings;
  readonly stems: StemGroups;
  /** By number; undefined where a note was removed. */
  readonly notes: (IndexedNote | undefined)[];
}

export class NoteIndex {
  readonly vocabulary: Vocabulary;
  readonly postings: Postings;
  readonly stems: StemGroups;
  readonly #notes: (IndexedNote | undefined)[];
  readonly #numbers = new Map<NotePath, number>();
  /** Per number: tokens in the note and one more; 0 for a note that was removed. */
  readonly #sizes = new GrowingUint32();
  #weights = new Float32Array(4096);
  #live = 0;
  #tokens = 0;

  constructor(parts?: IndexParts) {
    this.vocabulary = parts?.vocabulary ?? new Vocabulary();
    this.postings = parts?.postings ?? new Postings();
    this.stems = parts?.stems ?? new StemGroups();
    this.#notes = parts?.notes ?? [];
    for (const [number, note] of this.#notes.entries()) {
      this.#sizes.push(0);
      if (note) this.#count(note, number);
    }
  }

  parts(): IndexParts {
    return { vocabulary: this.vocabulary, postings: this.postings, stems: this.stems, notes: this.#notes };
  }

  /** Notes in it. */
  get size(): number {
    return this.#live;
  }

  /** Numbers given out so far, those of removed notes included. */
  get span(): number {
    return this.#notes.length;
  }

  get averageLength(): number {
    return this.#live === 0 ? 1 : Math.max(1, this.#tokens / this.#live);
  }

  /** Per number: tokens in the note and one more, 0 where there is none. */
  get sizes(): Uint32Array {
    return this.#sizes.values;
  }

  note(number: number): IndexedNote | undefined {
    return this.#notes[number];
  }

  get(path: NotePath): IndexedNote | undefined {
    const number = this.#numbers.get(path);
    return number === undefined ? undefined : this.#notes[number];
  }

  paths(): Iterable<NotePath> {
    return this.#numbers.keys();
  }

  numbers(): Iterable<number> {
    return this.#numbers.values();
  }

  /** Replaces the note. `breathe` is awaited between pieces of a long text; nothing is visible before the end. */
  async put(
    meta: { readonly path: NotePath; readonly size: number; readonly lastModified: number },
    text: string,
    document: SearchDocument,
    breathe: () => Promise<void>,
  ): Promise<void> {
    const words = new Set<number>();
    let length = 0;
    for (let from = 0; from < text.length; ) {
      const to = pieceEnd(text, from);
      length += this.#weigh(text.slice(from, to), 1, words);
      from = to;
      if (from < text.length) await this.#pause(words, breathe);
    }
    for (const part of weightedParts(meta.path, document)) this.#weigh(part.text, part.weight, words);
    this.remove(meta.path);
    const number = this.#notes.length;
    for (const word of words) {
      this.postings.add(word, number, this.#weights[word]!);
      this.#weights[word] = 0;
    }
    const { title, frontmatterTags, inlineTags, frontmatter } = document;
    const note = { ...meta, title, frontmatterTags, inlineTags, frontmatter, length };
    this.#notes.push(note);
    this.#sizes.push(0);
    this.#count(note, number);
  }

  remove(path: NotePath): boolean {
    const number = this.#numbers.get(path);
    const note = number === undefined ? undefined : this.#notes[number];
    if (number === undefined || !note) return false;
    this.#notes[number] = undefined;
    this.#sizes.values[number] = 0;
    this.#numbers.delete(path);
    this.#live--;
    this.#tokens -= note.length;
    return true;
  }

  #count(note: IndexedNote, number: number): void {
    this.#numbers.set(note.path, number);
    this.#sizes.values[number] = note.length + 1;
    this.#live++;
    this.#tokens += note.length;
  }

  /** Adds the words of a text to the weights of the note at hand; returns how many there were. */
  #weigh(text: string, weight: number, words: Set<number>): number {
    const folded = fold(text, SEARCH_FOLDING).text;
    let count = 0;
    const add = (source: string, start: number, end: number) => {
      const known = this.vocabulary.size;
      const word = this.vocabulary.add(source, start, end);
      if (word === known) this.stems.add(source.slice(start, end));
      if (word >= this.#weights.length) this.#weights = enlarged(this.#weights, word);
      words.add(word);
      this.#weights[word]! += weight;
    };
    forEachToken(folded, (start, end) => {
      count++;
      add(folded, start, end);
      if (end - start === MAX_TOKEN) add(LONG_RUN_MARK, 0, 1);
    });
    return count;
  }

  /** The weights are shared by all notes, so this note's are put aside while others have their turn. */
  async #pause(words: ReadonlySet<number>, breathe: () => Promise<void>): Promise<void> {
    const aside = [...words].map((word) => this.#weights[word]!);
    for (const word of words) this.#weights[word] = 0;
    await breathe();
    let at = 0;
    for (const word of words) this.#weights[word] = aside[at++]!;
  }
}

/** The end of the piece that begins at `from`: at white space, if there is any nearby. */
function pieceEnd(text: string, from: number): number {
  if (text.length - from <= PIECE_CHARACTERS) return text.length;
  const least = from + PIECE_CHARACTERS;
  const blank = /\s/.exec(text.slice(least, least + 4096));
  return least + (blank ? blank.index : 4096);
}

function enlarged(weights: Float32Array<ArrayBuffer>, index: number): Float32Array<ArrayBuffer> {
  const larger = new Float32Array(Math.max(weights.length * 2, index + 1));
  larger.set(weights);
  return larger;
}
