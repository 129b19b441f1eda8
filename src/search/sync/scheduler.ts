/** Turns for work nobody waits for: short, and hardly any while somebody's question is being answered. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createYielder, type Yielder } from '../../shared/async/time-slices.ts';

const TURN_MS = 2;
/** Questions often come one after the other. */
const QUIET_MS = 3;
/** However many questions come, the work has to get done. */
const PATIENCE_MS = 10;

export class BackgroundScheduler {
  #questions = 0;
  #lastQuestion = 0;
  #begun = performance.now();

  readonly turns: Yielder = () => (performance.now() - this.#begun < TURN_MS ? undefined : this.#nextTurn());

  async while<T>(answering: () => Promise<T>): Promise<T> {
    this.#questions++;
    try {
      return await answering();
    } finally {
      this.#questions--;
      this.#lastQuestion = performance.now();
    }
  }

  async #nextTurn(): Promise<void> {
    const latest = performance.now() + PATIENCE_MS;
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#isBusy() && performance.now() < latest) await sleep(1);
    this.#begun = performance.now();
  }

  #isBusy(): boolean {
    return this.#questions > 0 || performance.now() - this.#lastQuestion < QUIET_MS;
  }
}

/** Lets other work have its turn: long loops ask now and then, and hand over when they have run long enough. */

const PACE_MS = 4;

export class YieldTimer {
  readonly #turns = createYielder(PACE_MS);

  /** Resolves at once while the turn lasts; otherwise after everything else that waits has had its own. */
  async breathe(signal?: AbortSignal): Promise<true> {
    const pause = this.#turns();
    if (!pause) return true;
    await pause;
    signal?.throwIfAborted();
    return true;
  }
}
