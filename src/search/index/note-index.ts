/** The inverted index in memory, as a few typed arrays: notes are added, replaced and removed one by one. */
import type { NotePath } from '../../notes/path.ts';
import type { NoteMeta } from '../../notes/store.ts';
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { forEachToken, hashOf, LONG_RUN_MARK, MAX_TOKEN } from '../../notes/text/tokens.ts';
import { memoizeWhile } from '../../shared/memoize.ts';
import { NoteMeaning, type PackedMeaning } from '../meaning/note-meaning.ts';
import { namesOf, type SearchDocument, weightedParts } from './document.ts';
import { type IndexedNote, NoteTable } from './note-table.ts';
import { GrowingUint32, type PackedPostings, Postings } from './postings.ts';
import { Scratch } from './scratch.ts';
import type { PackedNotes } from './snapshot-format.ts';
import { type PackedStems, StemGroups } from './stem-groups.ts';
import { type PackedVocabulary, Vocabulary } from './vocabulary.ts';
import { type TakeWord, WordCounter } from './word-counter.ts';

/** The weight of each word in one note. Reused for note after note: only the entries that were used are cleared. */
class NoteWeights {
  #weights = new Float32Array(4096);
  readonly #words = new GrowingUint32();

  add(word: number, weight: number): void {
    if (word >= this.#weights.length) this.#weights = enlarged(this.#weights, word);
    if (this.#weights[word] === 0) this.#words.push(word);
    this.#weights[word]! += weight;
  }

  /** Calls `take` for every word, and is empty afterwards. */
  handOver(take: (word: number, weight: number) => void): void {
    const { values, length } = this.#words;
    for (let at = 0; at < length; at++) {
      const word = values[at]!;
      take(word, this.#weights[word]!);
      this.#weights[word] = 0;
    }
    this.#words.length = 0;
  }
}

function enlarged(weights: Float32Array<ArrayBuffer>, index: number): Float32Array<ArrayBuffer> {
  const larger = new Float32Array(Math.max(weights.length * 2, index + 1));
  larger.set(weights);
  return larger;
}

/** Indexed for a note as one word: each of its names. */
export function nameMark(name: string): string {
  return `\u0002${fold(name, SEARCH_FOLDING).text.trim().slice(0, MAX_TOKEN)}`;
}

const NO_FIELDS = { title: '', frontmatterTags: [], inlineTags: [], frontmatter: {} };

/** A giant note is indexed in pieces of this size, with yields in between. */
const PIECE_CHARACTERS = 128 * 1024;

/** Times as many notes as are left may have a word for which they are looked through. */
const WORTH_LOOKING_UP = 20;

/** Of `absorb`: a step takes a few milliseconds. */
const ENTRIES_PER_STEP = 20_000;

export interface PackedIndex {
  readonly words: PackedVocabulary;
  readonly stems: PackedStems;
  readonly postings: PackedPostings;
  readonly notes: PackedNotes;
  readonly meaning?: PackedMeaning;
}

/** Notes of which the weights of some words and the number of tokens are known, and nothing else. */
export interface SkimmedNotes {
  readonly words: readonly string[];
  /** Four numbers for a word of a note: the place of the note, its tokens, the place of the word, its weight. */
  readonly entries: Uint32Array;
}

/** Which words an index takes up, if not all. */
export interface WordFilter {
  wants(word: string): boolean;
  /** The beginnings of the wanted words in this text; undefined where they can begin as they will. */
  beginningsIn(folded: string): Uint8Array | undefined;
  /** Whether a token of a folded text is wanted; `wants` without making a string of it. */
  wantsToken(folded: string, start: number, end: number, hash: number): boolean;
}

interface NoteIndexOptions {
  /** The paths in the packed index, if the caller has unpacked them. */
  readonly paths?: readonly NotePath[];
  readonly filter?: WordFilter;
  /** True where another index absorbs this one: the words get their stems there, once. */
  readonly isBatch?: boolean;
}

export class NoteIndex {
  readonly vocabulary: Vocabulary;
  readonly postings: Postings;
  readonly stems: StemGroups;
  readonly scratch: Scratch = new Scratch(() => this.span);
  /** Absent for few notes, and until it is made. */
  meaning: NoteMeaning | undefined;
  readonly #table: NoteTable;
  readonly #counter = new WordCounter();
  readonly #weights = new NoteWeights();
  readonly #filter: WordFilter | undefined;
  readonly #isBatch: boolean;
  /** Notes with runs too long to be indexed whole can hold anything. */
  readonly notesWithLongRuns: () => readonly number[] = memoizeWhile(
    () => this.revision,
    () => this.#holdersOf(LONG_RUN_MARK).filter((number) => this.sizes[number] !== 0),
  );

  constructor(packed?: PackedIndex, { paths, filter, isBatch = false }: NoteIndexOptions = {}) {
    this.#filter = filter;
    this.#isBatch = isBatch;
    this.vocabulary = new Vocabulary(packed?.words);
    this.postings = new Postings(packed?.postings);
    this.stems = new StemGroups(packed?.stems);
    this.#table = new NoteTable(packed?.notes, paths);
    this.meaning = packed?.meaning && new NoteMeaning(packed.meaning);
  }

  /** The index as flat arrays, as it is at the first step. `files` are all files of the store, in path order. */
  *pack(files: readonly NoteMeta[]): Generator<undefined, PackedIndex> {
    const words = this.vocabulary.pack();
    const stems = this.stems.pack();
    const { notes, renumbered } = yield* this.#table.pack(files);
    const postings = yield* this.postings.pack(words.starts.length, renumbered);
    const meaning = this.meaning?.pack(renumbered, files.length);
    return { words, stems, postings, notes, ...(meaning && { meaning }) };
  }

  get size(): number {
    return this.#table.live;
  }

  /** Numbers given out so far, those of removed notes included. */
  get span(): number {
    return this.#table.span;
  }

  get averageLength(): number {
    return this.#table.averageLength;
  }

  /** Per number: the tokens of the note plus one; 0 where there is no note. */
  get sizes(): Uint32Array {
    return this.#table.sizes;
  }

  note(number: number): IndexedNote | undefined {
    return this.#table.note(number);
  }

  /** Without unpacking the note. */
  pathOf(number: number): NotePath | undefined {
    return this.#table.pathOf(number);
  }

  bytesOf(number: number): number {
    return this.#table.bytesOf(number);
  }

  lastModified(number: number): number {
    return this.#table.lastModified(number);
  }

  get(path: NotePath): IndexedNote | undefined {
    const number = this.#table.numberOf(path);
    return number === undefined ? undefined : this.#table.note(number);
  }

  /** Another one after every change of the notes. */
  get revision(): number {
    return this.#table.revision;
  }

  numberOf(path: NotePath): number | undefined {
    return this.#table.numberOf(path);
  }

  has(path: NotePath): boolean {
    return this.#table.numberOf(path) !== undefined;
  }

  paths(): Iterable<NotePath> {
    return this.#table.paths();
  }

  numbers(): Iterable<number> {
    return this.#table.numbers();
  }

  /** Replaces the note, at the end. `breathe` is awaited between pieces of a long text. */
  async put(
    meta: Pick<NoteMeta, 'path' | 'size' | 'lastModified'>,
    text: string,
    document: SearchDocument,
    breathe: () => Promise<unknown> | true,
  ): Promise<void> {
    // Other notes are indexed while a long text yields.
    const weights = text.length > PIECE_CHARACTERS ? new NoteWeights() : this.#weights;
    let length = 0;
    for (let from = 0; from < text.length; ) {
      const to = pieceEnd(text, from);
      length += this.#weigh(text.slice(from, to), 1, weights);
      from = to;
      if (from < text.length) await breathe();
    }
    for (const part of weightedParts(meta.path, document)) this.#weigh(part.text, part.weight, weights);
    for (const name of namesOf(document)) this.#mark(nameMark(name), 1, weights);
    this.remove(meta.path);
    const number = this.#table.span;
    const folding = this.meaning?.folding((word) => this.vocabulary.word(word));
    weights.handOver((word, weight) => {
      this.postings.add(word, number, weight);
      folding?.add(word, weight);
    });
    folding?.finish(number);
    const { title, frontmatterTags, inlineTags, frontmatter, mayHoldTasks } = document;
    this.#table.add({ ...meta, title, frontmatterTags, inlineTags, frontmatter, mayHoldTasks, length });
  }

  /** Puts notes that were skimmed, named by their places in `notes`, as `put` does others. */
  putSkimmed({ words, entries }: SkimmedNotes, notes: readonly NoteMeta[]): void {
    const own = words.map((word) => this.#addWord(word));
    let last = -1;
    let number = 0;
    for (let at = 0; at < entries.length; at += 4) {
      const place = entries[at]!;
      if (place !== last) {
        const { path, size, lastModified } = notes[place]!;
        this.remove(path);
        number = this.#table.span;
        this.#table.add({ path, size, lastModified, length: entries[at + 1]!, ...NO_FIELDS });
        last = place;
      }
      this.postings.add(own[entries[at + 2]!]!, number, entries[at + 3]!);
    }
  }

  remove(path: NotePath): boolean {
    return this.#table.remove(path);
  }

  /** Takes over notes of another index. `accepts` is called, and the notes become visible, at the last step. */
  *absorb(other: PackedIndex, accepts: (row: number) => boolean): Generator<undefined, void> {
    const first = this.#table.reserve(other.notes.sizes.length);
    const { starts } = other.postings;
    let pauseAt = ENTRIES_PER_STEP;
    for (let word = 0; word < other.words.starts.length; word++) {
      this.postings.addAll(this.#ownWord(other.words, word), other.postings, word, first);
      const end = starts[word + 1]!;
      if (word + end < pauseAt) continue;
      yield;
      pauseAt = word + end + ENTRIES_PER_STEP;
    }
    yield;
    this.#table.takeOver(first, other.notes, accepts);
  }

  /** Counts notes that have none of the words the index takes up. */
  countOthers(notes: number, tokens: number): void {
    this.#table.countOthers(notes, tokens);
  }

  /** An index of the same notes, by the same numbers, and of these words only. */
  restrictedTo(words: Iterable<number>): NoteIndex {
    const restricted = new NoteIndex();
    const table = restricted.#table;
    const { sizes } = this;
    table.reserve(this.span);
    for (const word of words) {
      const own = restricted.#addWord(this.vocabulary.word(word));
      this.postings.forEach(word, (number, weight) => {
        if (sizes[number] === 0) return;
        if (table.sizes[number] === 0) table.set(number, this.#table.note(number)!);
        restricted.postings.add(own, number, weight);
      });
    }
    table.countOthers(this.size - table.live, this.#table.tokens - table.tokens);
    return restricted;
  }

  #ownWord({ letters, starts }: PackedVocabulary, word: number): number {
    const start = starts[word]!;
    const end = (starts[word + 1] ?? letters.length) - 1;
    const known = this.vocabulary.size;
    const own = this.vocabulary.add(letters, start, end, hashOf(letters, start, end));
    if (own === known) this.#addStem(this.vocabulary.word(own));
    return own;
  }

  /** Adds the words of a text to the weights; returns how many there were. */
  #weigh(text: string, weight: number, weights: NoteWeights): number {
    const { vocabulary } = this;
    const filter = this.#filter;
    /** Their stems are added after the counting. */
    const fresh: string[] = [];
    const folded = fold(text, SEARCH_FOLDING).text;
    const takeWord: TakeWord = (units, start, end, hash, count) => {
      if (filter && !filter.wantsToken(folded, start, end, hash)) return;
      const known = vocabulary.size;
      const word = vocabulary.add(units, start, end, hash);
      if (word === known) fresh.push(folded.slice(start, end));
      weights.add(word, weight * count);
    };
    const { length, hasLongRun } = this.#counter.count(folded, takeWord, filter?.beginningsIn(folded));
    for (const word of fresh) this.#addStem(word);
    if (hasLongRun) this.#mark(LONG_RUN_MARK, weight, weights);
    return length;
  }

  /** Adds what is looked up as a word and stands in no text. */
  #mark(mark: string, weight: number, weights: NoteWeights): void {
    if (this.#filter && !this.#filter.wants(mark)) return;
    weights.add(this.#addWord(mark), weight);
  }

  #addWord(text: string): number {
    const word = this.vocabulary.addText(text);
    if (this.stems.size === word) this.#addStem(text);
    return word;
  }

  #addStem(word: string): void {
    if (!this.#isBatch) this.stems.add(word);
  }

  /** Numbers of the notes with this title or alias, folded; some may be removed. */
  named(name: string): number[] {
    return this.#holdersOf(nameMark(name));
  }

  /** Numbers of all notes whose path has this part, a name or some folders, and of others. Of a part without words, all. */
  maybeAt(part: string): Iterable<number> {
    return this.#withWordsOf([part.replace(/\.(?:md|markdown|txt)$/i, '')]) ?? this.numbers();
  }

  /** Numbers of all notes with these tags, and of others; undefined for tags without words. */
  maybeTagged(tags: readonly string[]): Iterable<number> | undefined {
    const numbers = this.#withWordsOf(tags);
    const others = numbers && this.notesWithLongRuns();
    return others && others.length > 0 ? new Set([...numbers, ...others]) : numbers;
  }

  /** Numbers of all notes with all words of the texts, and of others: with the rarest of these words. Undefined without words. */
  #withWordsOf(texts: readonly string[]): readonly number[] | undefined {
    const words = new Set<number | undefined>();
    for (const text of texts) {
      const folded = fold(text, SEARCH_FOLDING).text;
      forEachToken(folded, (start, end) => void words.add(this.vocabulary.find(folded.slice(start, end))));
    }
    if (words.size === 0) return undefined;
    const known = [...words].filter((word) => word !== undefined);
    if (known.length < words.size) return [];
    const countOf = (word: number) => this.postings.countOf(word);
    const reached = this.scratch.marks();
    let holders: number[] = [];
    for (const [stage, word] of known.sort((a, b) => countOf(a) - countOf(b)).entries()) {
      // A word that most notes have leaves out few.
      if (stage > 0 && countOf(word) > holders.length * WORTH_LOOKING_UP) break;
      holders = [];
      this.postings.reach(word, stage, reached, this.sizes, holders);
    }
    this.scratch.giveBack(reached);
    return holders;
  }

  #holdersOf(word: string): number[] {
    const found = this.vocabulary.find(word);
    const numbers: number[] = [];
    if (found !== undefined) this.postings.forEach(found, (number) => void numbers.push(number));
    return numbers;
  }
}

/** The end of the piece that begins at `from`: at white space, if there is any nearby. */
function pieceEnd(text: string, from: number): number {
  if (text.length - from <= PIECE_CHARACTERS) return text.length;
  const least = from + PIECE_CHARACTERS;
  const blank = /\s/.exec(text.slice(least, least + 4096));
  return least + (blank ? blank.index : 4096);
}
