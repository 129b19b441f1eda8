/**
 * The postings: for each word, the notes that have it, with weights. Most are packed, side by side per word. Later
 * ones are a linked list per word in flat arrays, newest first, so that adding a note only appends; the next packing
 * takes them in and leaves out those of removed notes.
 */

/** A typed array that grows by doubling. */
export class GrowingUint32 {
  values: Uint32Array;
  length: number;

  constructor(values: Uint32Array = new Uint32Array(1024), length: number = 0) {
    this.values = values;
    this.length = length;
  }

  push(value: number): number {
    if (this.length === this.values.length)
      this.values = grown(this.values, new Uint32Array(nextSize(this.length)));
    this.values[this.length] = value;
    return this.length++;
  }

  used(): Uint32Array {
    return this.values.subarray(0, this.length);
  }
}

class GrowingUint8 {
  values: Uint8Array;
  length: number;

  constructor(values: Uint8Array = new Uint8Array(1024), length: number = 0) {
    this.values = values;
    this.length = length;
  }

  push(value: number): number {
    if (this.length === this.values.length)
      this.values = grown(this.values, new Uint8Array(nextSize(this.length)));
    this.values[this.length] = value;
    return this.length++;
  }

  used(): Uint8Array {
    return this.values.subarray(0, this.length);
  }
}

export class GrowingUint16 {
  values: Uint16Array;
  length: number;

  constructor(values: Uint16Array = new Uint16Array(1024), length: number = 0) {
    this.values = values;
    this.length = length;
  }

  push(value: number): number {
    if (this.length === this.values.length)
      this.values = grown(this.values, new Uint16Array(nextSize(this.length)));
    this.values[this.length] = value;
    return this.length++;
  }

  used(): Uint16Array {
    return this.values.subarray(0, this.length);
  }
}

function grown<A extends Uint8Array | Uint16Array | Uint32Array>(from: A, to: A): A {
  to.set(from);
  return to;
}

function nextSize(length: number): number {
  return Math.max(1024, length * 2);
}

const END = 0xffffffff;
const ENTRIES_PER_STEP = 20_000;

export interface PackedPostings {
  /** Per word, and one more: where its entries begin. */
  readonly starts: Uint32Array;
  readonly notes: Uint32Array;
  readonly weights: Uint8Array;
}

const NOTHING_PACKED: PackedPostings = {
  starts: new Uint32Array(1),
  notes: new Uint32Array(0),
  weights: new Uint8Array(0),
};

/** Note numbers in an array that is used again, with room for all notes. */
export interface NoteList {
  readonly values: Uint32Array;
  length: number;
}

export class Postings {
  readonly #packed: PackedPostings;
  /** Per word: its newest entry, and how many there are. */
  readonly #heads = new GrowingUint32();
  readonly #counts = new GrowingUint32();
  /** Per entry: the note, the weight, the next older entry of the same word. */
  readonly #notes = new GrowingUint32();
  readonly #weights = new GrowingUint8();
  readonly #nexts = new GrowingUint32();

  constructor(packed: PackedPostings = NOTHING_PACKED) {
    this.#packed = packed;
  }

  get size(): number {
    return this.#packed.notes.length + this.#notes.length;
  }

  add(word: number, note: number, weight: number): void {
    while (this.#heads.length <= word) {
      this.#heads.push(END);
      this.#counts.push(0);
    }
    this.#notes.push(note);
    this.#weights.push(Math.min(255, Math.max(1, Math.round(weight))));
    this.#nexts.push(this.#heads.values[word]!);
    this.#heads.values[word] = this.#notes.length - 1;
    this.#counts.values[word]!++;
  }

  /** Adds the entries of a word of other postings, whose notes have their numbers from `first` on. */
  addAll(word: number, { starts, notes, weights }: PackedPostings, from: number, first: number): void {
    const start = starts[from]!;
    const end = starts[from + 1]!;
    if (start === end) return;
    while (this.#heads.length <= word) {
      this.#heads.push(END);
      this.#counts.push(0);
    }
    let head = this.#heads.values[word]!;
    for (let entry = start; entry < end; entry++) {
      this.#nexts.push(head);
      this.#weights.push(weights[entry]!);
      head = this.#notes.push(first + notes[entry]!);
    }
    this.#heads.values[word] = head;
    this.#counts.values[word]! += end - start;
  }

  /** Entries of the word, those of removed notes included. */
  countOf(word: number): number {
    const packed = (this.#packed.starts[word + 1] ?? 0) - (this.#packed.starts[word] ?? 0);
    return Math.max(0, packed) + (word < this.#counts.length ? this.#counts.values[word]! : 0);
  }

  /**
   * Adds the weights of one word, times `factor`, to the sums per note; notes that had none before and are
   * `alive` go to `reached`.
   */
  addTo(
    sums: Float32Array,
    word: number,
    factor: number,
    alive: Uint32Array | Uint8Array,
    reached: NoteList,
  ): void {
    const { starts } = this.#packed;
    addPacked(this.#packed, starts[word] ?? 0, starts[word + 1] ?? 0, sums, factor, alive, reached);
    if (this.#headOf(word) === END) return;
    this.#forEachRecent(word, (note, weight) => {
      if (alive[note] === 0) return;
      if (sums[note] === 0) reached.values[reached.length++] = note;
      sums[note]! += weight * factor;
    });
  }

  /** Of the notes of the word that are `alive`, those that have `reached` this stage reach the next, and go to `holders`. */
  reach(word: number, stage: number, reached: Uint8Array, alive: Uint32Array, holders: number[]): void {
    const { starts, notes } = this.#packed;
    reachPacked(notes, starts[word] ?? 0, starts[word + 1] ?? 0, stage, reached, alive, holders);
    if (this.#headOf(word) === END) return;
    this.#forEachRecent(word, (note) => {
      if (reached[note] !== stage || alive[note] === 0) return;
      reached[note] = stage + 1;
      holders.push(note);
    });
  }

  /** The greatest weight that at least so many notes of the word have, or more than it. */
  weightOf(word: number, notes: number): number {
    const { starts, weights } = this.#packed;
    const counts = new Uint32Array(256);
    countWeights(weights, starts[word] ?? 0, starts[word + 1] ?? 0, counts);
    this.#forEachRecent(word, (_, weight) => {
      counts[weight]!++;
    });
    let least = 255;
    for (let found = counts[least]!; found < notes && least > 0; found += counts[least]!) least--;
    return least;
  }

  /** Marks the notes that are `alive` and have the word with this weight at least; returns how many were not marked before. */
  mark(word: number, least: number, marks: Uint8Array, alive: Uint32Array): number {
    const { starts } = this.#packed;
    let marked = markPacked(this.#packed, starts[word] ?? 0, starts[word + 1] ?? 0, least, marks, alive);
    this.#forEachRecent(word, (note, weight) => {
      if (weight < least || marks[note] !== 0 || alive[note] === 0) return;
      marks[note] = 1;
      marked++;
    });
    return marked;
  }

  forEach(word: number, visit: (note: number, weight: number) => void): void {
    const packed = this.#packed;
    const end = packed.starts[word + 1] ?? 0;
    for (let entry = packed.starts[word] ?? 0; entry < end; entry++)
      visit(packed.notes[entry]!, packed.weights[entry]!);
    this.#forEachRecent(word, visit);
  }

  #forEachRecent(word: number, visit: (note: number, weight: number) => void): void {
    const notes = this.#notes.values;
    const weights = this.#weights.values;
    const nexts = this.#nexts.values;
    for (let entry = this.#headOf(word); entry !== END; entry = nexts[entry]!)
      visit(notes[entry]!, weights[entry]!);
  }

  /**
   * The entries of the first `words` words as they are now, whatever is added between two steps. `renumbered`
   * gives each note's new number plus one, 0 for those to leave out.
   */
  *pack(words: number, renumbered: Uint32Array): Generator<undefined, PackedPostings> {
    const heads = this.#heads.used().slice();
    const starts = new Uint32Array(words + 1);
    const notes = new Uint32Array(this.size);
    const weights = new Uint8Array(this.size);
    let at = 0;
    let pauseAt = ENTRIES_PER_STEP;
    for (let word = 0; word < words; word++) {
      // Steps by entries, because the first words are the common ones and have most of them.
      if (word + at > pauseAt) {
        yield;
        pauseAt = word + at + ENTRIES_PER_STEP;
      }
      at = this.#packWord(word, heads[word] ?? END, renumbered, { notes, weights, at });
      starts[word + 1] = at;
    }
    return { starts, notes: notes.subarray(0, at), weights: weights.subarray(0, at) };
  }

  /** The entries of a word, the newest being `head`, go to `at` and on; returns where they end. */
  #packWord(
    word: number,
    head: number,
    renumbered: Uint32Array,
    to: { readonly notes: Uint32Array; readonly weights: Uint8Array; readonly at: number },
  ): number {
    const { notes, weights } = to;
    const packed = this.#packed;
    const ownNotes = this.#notes.values;
    const ownWeights = this.#weights.values;
    const nexts = this.#nexts.values;
    let at = to.at;
    const end = packed.starts[word + 1] ?? 0;
    for (let entry = packed.starts[word] ?? 0; entry < end; entry++) {
      const number = renumbered[packed.notes[entry]!];
      if (!number) continue;
      notes[at] = number - 1;
      weights[at++] = packed.weights[entry]!;
    }
    for (let entry = head; entry !== END; entry = nexts[entry]!) {
      const number = renumbered[ownNotes[entry]!];
      if (!number) continue;
      notes[at] = number - 1;
      weights[at++] = ownWeights[entry]!;
    }
    return at;
  }

  #headOf(word: number): number {
    return word < this.#heads.length ? this.#heads.values[word]! : END;
  }
}

/** A loop of its own over the packed entries, which are most: V8 compiles it soon. */
function addPacked(
  { notes, weights }: PackedPostings,
  from: number,
  to: number,
  sums: Float32Array,
  factor: number,
  alive: Uint32Array | Uint8Array,
  reached: NoteList,
): void {
  const { values } = reached;
  let { length } = reached;
  for (let entry = from; entry < to; entry++) {
    const note = notes[entry]!;
    if (alive[note] === 0) continue;
    if (sums[note] === 0) values[length++] = note;
    sums[note]! += weights[entry]! * factor;
  }
  reached.length = length;
}

function reachPacked(
  notes: Uint32Array,
  from: number,
  to: number,
  stage: number,
  reached: Uint8Array,
  alive: Uint32Array,
  holders: number[],
): void {
  for (let entry = from; entry < to; entry++) {
    const note = notes[entry]!;
    if (reached[note] !== stage || alive[note] === 0) continue;
    reached[note] = stage + 1;
    holders.push(note);
  }
}

function countWeights(weights: Uint8Array, from: number, to: number, counts: Uint32Array): void {
  for (let entry = from; entry < to; entry++) counts[weights[entry]!]!++;
}

function markPacked(
  { notes, weights }: PackedPostings,
  from: number,
  to: number,
  least: number,
  marks: Uint8Array,
  alive: Uint32Array,
): number {
  let marked = 0;
  for (let entry = from; entry < to; entry++) {
    if (weights[entry]! < least) continue;
    const note = notes[entry]!;
    if (marks[note] !== 0 || alive[note] === 0) continue;
    marks[note] = 1;
    marked++;
  }
  return marked;
}
