/**
 * Makes the meaning of the notes when nothing is left to index, and anew when enough of them have changed. Searches go
 * on meanwhile, by words or by the meaning as it was.
 */
import { runInSlices, type Yielder } from '../../shared/async/time-slices.ts';
import type { Log } from '../../shared/log.ts';
import type { NoteIndex } from '../index/note-index.ts';
import { NoteMeaning } from '../meaning/note-meaning.ts';
import { FEWEST_NOTES, gatherTerms } from '../meaning/term-matrix.ts';
import { type TermMatrix, type TermVectors, termVectors } from '../meaning/term-vectors.ts';

export interface MeaningBuilderOptions {
  readonly log: Log;
  /** The index as it is now: packing replaces it. */
  readonly index: () => NoteIndex;
  readonly turns: Yielder;
  /** Makes term vectors in a worker, and takes the arrays of the matrix over; undefined where there can be none. */
  readonly learnTerms?: LearnTerms;
  /** The meaning is not what was saved. */
  readonly onChange: () => void;
}

export type LearnTerms = (matrix: TermMatrix) => Promise<TermVectors> | undefined;

/** How many weights are worth a worker: fewer are done before it has started. */
const WORTH_A_WORKER = 100_000;

export class MeaningBuilder {
  readonly #options: MeaningBuilderOptions;
  #building: Promise<void> | undefined;
  #closed = false;

  constructor(options: MeaningBuilderOptions) {
    this.#options = options;
  }

  /** To be called when nothing is left to index. Resolves when the meaning is up to date. */
  look(): Promise<void> {
    if (this.#closed || !this.#isDue()) return Promise.resolve();
    this.#building ??= this.#build()
      .catch((error: unknown) =>
        this.#options.log('warn', 'the meaning of the notes could not be learned', { error: String(error) }),
      )
      .finally(() => {
        this.#building = undefined;
      });
    return this.#building;
  }

  close(): void {
    this.#closed = true;
  }

  #isDue(): boolean {
    const index = this.#options.index();
    return needsTerms(index) || index.meaning?.isMissingAny(index) === true;
  }

  async #build(): Promise<void> {
    let terms = needsTerms(this.#options.index()) ? await this.#learn() : undefined;
    for (;;) {
      const index = this.#options.index();
      const made = terms ? NoteMeaning.over(index, terms) : index.meaning;
      if (!made?.isMissingAny(index)) return;
      await this.#inTurns(made.foldAll(index));
      if (this.#closed) return;
      // The index was packed meanwhile: its notes have other numbers now.
      if (this.#options.index() !== index) continue;
      index.meaning = made;
      terms = undefined;
      this.#options.onChange();
    }
  }

  async #learn(): Promise<TermVectors | undefined> {
    const begun = performance.now();
    const matrix = await this.#inTurns(gatherTerms(this.#options.index()));
    if (!matrix) return undefined;
    const { notes } = matrix;
    const isWorthIt = matrix.entryNotes.length > WORTH_A_WORKER;
    const learned = isWorthIt ? this.#options.learnTerms?.(matrix) : undefined;
    const made = await (learned ?? this.#inTurns(termVectors(matrix)));
    const ms = Math.round(performance.now() - begun);
    if (made) this.#options.log('debug', 'learned from the notes', { notes, terms: made.terms.length, ms });
    return made;
  }

  /** Undefined when this is closed meanwhile. */
  #inTurns<T>(steps: Generator<undefined, T>): Promise<T | undefined> {
    return runInSlices(steps, async () => {
      await this.#options.turns();
      return !this.#closed;
    });
  }
}

function needsTerms({ size, meaning }: NoteIndex): boolean {
  return size >= FEWEST_NOTES && (!meaning || meaning.isOutdated);
}
