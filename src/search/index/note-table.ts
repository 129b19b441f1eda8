/**
 * The notes of an index by number. Of those from a snapshot only path, size and time are unpacked at once; the
 * rest of a note is unpacked when it is needed.
 */
import type { NotePath } from '../../notes/path.ts';
import type { NoteMeta } from '../../notes/store.ts';
import { unpackStrings } from '../../shared/ids.ts';
import type { SearchDocument } from './document.ts';
import { GrowingUint32 } from './postings.ts';
import type { PackedNotes } from './snapshot-format.ts';

const NOTES_PER_STEP = 500;
/** So many lookups go through all paths before a map of them is made. */
const FEW_LOOKUPS = 20;

/** The fields of a document that hits show and filters compare. */
type Details = Pick<
  SearchDocument,
  'title' | 'frontmatterTags' | 'inlineTags' | 'frontmatter' | 'mayHoldTasks'
>;

export interface IndexedNote extends Details, Pick<NoteMeta, 'path' | 'size' | 'lastModified'> {
  /** In tokens. */
  readonly length: number;
}

export class NoteTable {
  readonly #packed: PackedNotes | undefined;
  #unpackedPaths: readonly NotePath[] | undefined;
  readonly #notes: (IndexedNote | undefined)[];
  #numbers: Map<NotePath, number> | undefined;
  #lookups = 0;
  readonly #sizes: GrowingUint32;
  #live = 0;
  #tokens = 0;
  #revision = 0;

  /** `paths` are those in `packed`, if the caller has unpacked them. */
  constructor(packed?: PackedNotes, paths?: readonly NotePath[]) {
    this.#packed = packed;
    this.#unpackedPaths = paths;
    // Allocated in full, because V8 makes a sparse array a slow one.
    this.#notes = new Array(packed?.sizes.length ?? 0);
    this.#sizes = new GrowingUint32(packed?.sizes.slice(), packed?.sizes.length);
    for (let number = 0; number < this.span; number++) {
      const size = this.#sizes.values[number]!;
      if (size === 0) continue;
      this.#live++;
      this.#tokens += size - 1;
    }
  }

  get #paths(): readonly NotePath[] {
    this.#unpackedPaths ??= this.#packed
      ? (unpackStrings(this.#packed.paths, this.#packed.sizes.length) as NotePath[])
      : [];
    return this.#unpackedPaths;
  }

  /** Made on demand: a search does not need it, and the first one should not wait for it. */
  get #byPath(): Map<NotePath, number> {
    if (this.#numbers) return this.#numbers;
    const numbers = new Map<NotePath, number>();
    for (const [number, path] of this.#paths.entries())
      if (this.#sizes.values[number] !== 0) numbers.set(path, number);
    this.#numbers = numbers;
    return numbers;
  }

  /** Another one after every change. */
  get revision(): number {
    return this.#revision;
  }

  get live(): number {
    return this.#live;
  }

  /** Numbers given out so far, those of removed notes included. */
  get span(): number {
    return this.#sizes.length;
  }

  /** Of all notes together. */
  get tokens(): number {
    return this.#tokens;
  }

  get averageLength(): number {
    return this.#live === 0 ? 1 : Math.max(1, this.#tokens / this.#live);
  }

  /** Per number: the tokens of the note plus one; 0 where there is no note. */
  get sizes(): Uint32Array {
    return this.#sizes.values;
  }

  numberOf(path: NotePath): number | undefined {
    if (this.#numbers || this.#lookups++ > FEW_LOOKUPS) return this.#byPath.get(path);
    const number = this.#paths.indexOf(path);
    return this.#sizes.values[number] ? number : undefined;
  }

  paths(): Iterable<NotePath> {
    return this.#byPath.keys();
  }

  numbers(): Iterable<number> {
    return this.#byPath.values();
  }

  note(number: number): IndexedNote | undefined {
    if (number >= this.span || this.#sizes.values[number] === 0) return undefined;
    this.#notes[number] ??= this.#unpacked(number);
    return this.#notes[number];
  }

  pathOf(number: number): NotePath | undefined {
    if (number >= this.span || this.#sizes.values[number] === 0) return undefined;
    return this.#notes[number]?.path ?? this.#paths[number];
  }

  bytesOf(number: number): number {
    return this.#notes[number]?.size ?? this.#packed?.bytes[number] ?? 0;
  }

  lastModified(number: number): number {
    return this.#notes[number]?.lastModified ?? this.#packed?.times[number] ?? 0;
  }

  add(note: IndexedNote): void {
    this.set(this.reserve(1), note);
  }

  /** Counts notes of which nothing else is known. */
  countOthers(notes: number, tokens: number): void {
    this.#live += notes;
    this.#tokens += tokens;
  }

  /** Puts a note at a reserved number. */
  set(number: number, note: IndexedNote): void {
    this.#revision++;
    this.#byPath.set(note.path, number);
    this.#sizes.values[number] = note.length + 1;
    this.#notes[number] = note;
    this.#live++;
    this.#tokens += note.length;
  }

  /** Reserves numbers for `takeOver`; returns the first. */
  reserve(count: number): number {
    const first = this.span;
    for (let at = 0; at < count; at++) this.#notes[this.#sizes.push(0)] = undefined;
    return first;
  }

  /** Puts notes of another table at reserved numbers. */
  takeOver(first: number, packed: PackedNotes, accepts: (row: number) => boolean): void {
    const other = new NoteTable(packed);
    for (let row = 0; row < other.span; row++) {
      const note = other.note(row);
      if (!note || !accepts(row)) continue;
      this.remove(note.path);
      this.set(first + row, note);
    }
  }

  remove(path: NotePath): boolean {
    const number = this.numberOf(path);
    if (number === undefined) return false;
    this.#revision++;
    this.#tokens -= this.#sizes.values[number]! - 1;
    this.#live--;
    this.#sizes.values[number] = 0;
    this.#notes[number] = undefined;
    this.#numbers?.delete(path);
    return true;
  }

  /**
   * The notes in the order of `files`, and per present number the one the note gets, plus one; 0 for those
   * that are left out.
   */
  *pack(files: readonly NoteMeta[]): Generator<undefined, { notes: PackedNotes; renumbered: Uint32Array }> {
    const count = files.length;
    const renumbered = new Uint32Array(this.span);
    const bytes = new Float64Array(count);
    const times = new Float64Array(count);
    const sizes = new Uint32Array(count);
    const detailStarts = new Uint32Array(count + 1);
    const details: Uint8Array[] = [];
    const paths: Uint8Array[] = [];
    for (const [row, meta] of files.entries()) {
      if (row % NOTES_PER_STEP === 0) yield;
      const number = this.#byPath.get(meta.path);
      const isKnown = number !== undefined && number < renumbered.length;
      if (isKnown) renumbered[number] = row + 1;
      bytes[row] = meta.size;
      times[row] = meta.lastModified;
      sizes[row] = isKnown ? this.#sizes.values[number]! : 0;
      const json = isKnown ? this.#packedDetails(number) : NO_DETAILS;
      details.push(json);
      detailStarts[row + 1] = detailStarts[row]! + json.length;
      paths.push(Buffer.from(row === 0 ? meta.path : `\0${meta.path}`));
    }
    yield;
    const notes = {
      paths: Buffer.concat(paths),
      bytes,
      times,
      sizes,
      details: Buffer.concat(details),
      detailStarts,
    };
    return { notes, renumbered };
  }

  #packedDetails(number: number): Uint8Array {
    const packed = this.#packed;
    if (packed && number < this.#paths.length)
      return packed.details.subarray(packed.detailStarts[number], packed.detailStarts[number + 1]);
    const note = this.#notes[number];
    if (!note) return NO_DETAILS;
    const { title, frontmatterTags, inlineTags, frontmatter, mayHoldTasks } = note;
    const details: Details = { title, frontmatterTags, inlineTags, frontmatter, mayHoldTasks };
    return Buffer.from(JSON.stringify(details));
  }

  #unpacked(number: number): IndexedNote {
    const { bytes, times } = this.#packed!;
    const details = JSON.parse(Buffer.from(this.#packedDetails(number)).toString()) as Details;
    return {
      path: this.#paths[number]!,
      size: bytes[number]!,
      lastModified: times[number]!,
      length: this.#sizes.values[number]! - 1,
      ...details,
    };
  }
}

const NO_DETAILS = new Uint8Array(0);
