/** When work in the background rests, because somebody waits for an answer that needs the same disk and processor. */
import { setTimeout as sleep } from 'node:timers/promises';

/** However many ask, the work has to get done. */
const MOST_HELD_MS = 15_000;
const REST_MS = 2;

export class Rest {
  /** How many want it. */
  #holding = 0;
  /** Questions often come one after the other. */
  #until = 0;
  /** For how long it has rested since it was last done. */
  #heldMs = 0;

  /** The other work rests while somebody waits for this. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#heldMs > MOST_HELD_MS) return work();
    const begun = performance.now();
    this.#holding++;
    try {
      return await work();
    } finally {
      this.#holding--;
      this.#until = performance.now() + REST_MS;
      this.#heldMs += this.#until - begun;
    }
  }

  /** Resolves when nobody wants it. */
  async over(isClosed: () => boolean): Promise<void> {
    while ((this.#holding > 0 || performance.now() < this.#until) && !isClosed()) await sleep(1);
  }

  /** The work is done: the next has its own time. */
  reset(): void {
    this.#heldMs = 0;
  }
}
