/** Lets other work have its turn: long loops ask now and then, and hand over when they have run long enough. */
import { turnsOf } from '../shared/turns.ts';

const TURN_MS = 4;

export class Pace {
  readonly #turns = turnsOf(TURN_MS);

  /** Resolves at once while the turn lasts; otherwise after everything else that waits has had its own. */
  async breathe(signal?: AbortSignal): Promise<true> {
    const pause = this.#turns();
    if (!pause) return true;
    await pause;
    signal?.throwIfAborted();
    return true;
  }
}
