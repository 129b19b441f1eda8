/** How much each word counts in the note at hand. Made once and used for note after note: only what was touched is cleared. */
export class NoteWeights {
  #weights = new Float32Array(4096);
  readonly #words: number[] = [];

  add(word: number, weight: number): void {
    if (word >= this.#weights.length) this.#weights = enlarged(this.#weights, word);
    if (this.#weights[word] === 0) this.#words.push(word);
    this.#weights[word]! += weight;
  }

  /** Calls `take` for every word, and is empty afterwards. */
  handOver(take: (word: number, weight: number) => void): void {
    for (const word of this.#words) {
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
