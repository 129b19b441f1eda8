/** Lets other work have its turn: long loops ask now and then, and hand over when they have run long enough. */
const TURN_MS = 4;

export class Pace {
  #begun = performance.now();

  /** Resolves at once while the turn lasts; otherwise after everything else that waits has had its own. */
  async breathe(signal?: AbortSignal): Promise<true> {
    if (performance.now() - this.#begun < TURN_MS) return true;
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    this.#begun = performance.now();
    return true;
  }
}
