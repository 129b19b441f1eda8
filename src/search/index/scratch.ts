/** Arrays with a place for every note, which searches use one after the other: new ones for each keep the garbage collector busy. */
import type { NoteList } from './postings.ts';

/** Kept of each kind: one search needs two at a time. */
const MOST_KEPT = 4;
/** Room for notes that come meanwhile, as a part of those there are. */
const ROOM = 1 / 16;
/** So many values are set to zero in a row in the time that one by its number takes. */
const WORTH_FILLING = 16;

export class Scratch {
  readonly #span: () => number;
  readonly #zeros: Float32Array[] = [];
  readonly #marks: Uint8Array[] = [];
  #list: NoteList = { values: new Uint32Array(0), length: 0 };

  constructor(span: () => number) {
    this.#span = span;
  }

  /** A zero for every note, and for some more. */
  zeros(): Float32Array {
    const known = this.#zeros.pop();
    return known && known.length >= this.#span() ? known : new Float32Array(this.#withRoom());
  }

  /** A zero of one byte for every note, and for some more. */
  marks(): Uint8Array {
    const known = this.#marks.pop();
    return known && known.length >= this.#span() ? known : new Uint8Array(this.#withRoom());
  }

  /** An empty list, the same for all callers: for what is done without waiting in between. */
  emptyList(): NoteList {
    const span = this.#span();
    if (this.#list.values.length < span)
      this.#list = { values: new Uint32Array(this.#withRoom()), length: 0 };
    this.#list.length = 0;
    return this.#list;
  }

  #withRoom(): number {
    return Math.ceil(this.#span() * (1 + ROOM));
  }

  /** Whoever gives them back has no more use for them, whatever they hold. */
  giveBack(...arrays: (Float32Array | Uint8Array | undefined)[]): void {
    for (const array of arrays) {
      if (array instanceof Float32Array) this.giveBackZeros(array.fill(0));
      else if (array && this.#marks.length < MOST_KEPT) this.#marks.push(array.fill(0));
    }
  }

  /** Takes back values of which no other numbers than those of the lists are set. */
  clear(values: Float32Array, lists: readonly (readonly number[])[]): void {
    const count = lists.reduce((sum, { length }) => sum + length, 0);
    if (count * WORTH_FILLING > values.length) values.fill(0);
    else for (const list of lists) for (const number of list) values[number] = 0;
    this.giveBackZeros(values);
  }

  /** Takes back an array that holds nothing but zeros again. */
  giveBackZeros(zeros: Float32Array): void {
    if (this.#zeros.length < MOST_KEPT) this.#zeros.push(zeros);
  }
}
