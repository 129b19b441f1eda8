/** Arrays with a place for every note, which searches use one after the other: new ones for each keep the garbage collector busy. */
import type { NoteList } from './postings.ts';

/** Kept of each kind: one search needs two at a time. */
const MOST_KEPT = 4;

export class Scratch {
  readonly #span: () => number;
  readonly #zeros: Float32Array[] = [];
  readonly #marks: Uint8Array[] = [];
  #list: NoteList = { values: new Uint32Array(0), length: 0 };

  constructor(span: () => number) {
    this.#span = span;
  }

  /** A zero for every note. */
  zeros(): Float32Array {
    const span = this.#span();
    const known = this.#zeros.pop();
    return known?.length === span ? known : new Float32Array(span);
  }

  /** A zero of one byte for every note. */
  marks(): Uint8Array {
    const span = this.#span();
    const known = this.#marks.pop();
    return known?.length === span ? known : new Uint8Array(span);
  }

  /** An empty list, the same for all callers: for what is done without waiting in between. */
  emptyList(): NoteList {
    const span = this.#span();
    if (this.#list.values.length < span) this.#list = { values: new Uint32Array(span), length: 0 };
    this.#list.length = 0;
    return this.#list;
  }

  /** Whoever gives them back has no more use for them, whatever they hold. */
  giveBack(...arrays: (Float32Array | Uint8Array | undefined)[]): void {
    for (const array of arrays) {
      if (array instanceof Float32Array) this.giveBackZeros(array.fill(0));
      else if (array && this.#marks.length < MOST_KEPT) this.#marks.push(array.fill(0));
    }
  }

  /** They are zeros again. */
  giveBackZeros(zeros: Float32Array): void {
    if (this.#zeros.length < MOST_KEPT) this.#zeros.push(zeros);
  }
}
