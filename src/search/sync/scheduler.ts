/** When background work may run: in short time slices, and hardly at all while a request is being answered. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createYielder, type Yielder } from '../../shared/async/time-slices.ts';

const SLICE_MS = 2;
/** Requests often come in quick succession. */
const QUIET_MS = 3;
/** However many requests come, the work has to get done. */
const PATIENCE_MS = 10;

/** Time slices for packing and saving, which wait a little while requests are answered. */
export class BackgroundScheduler {
  #requests = 0;
  #lastRequest = 0;
  #begun = performance.now();

  readonly turns: Yielder = () => (performance.now() - this.#begun < SLICE_MS ? undefined : this.#nextTurn());

  async while<T>(answer: () => Promise<T>): Promise<T> {
    this.#requests++;
    try {
      return await answer();
    } finally {
      this.#requests--;
      this.#lastRequest = performance.now();
    }
  }

  async #nextTurn(): Promise<void> {
    const latest = performance.now() + PATIENCE_MS;
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#isBusy() && performance.now() < latest) await sleep(1);
    this.#begun = performance.now();
  }

  #isBusy(): boolean {
    return this.#requests > 0 || performance.now() - this.#lastRequest < QUIET_MS;
  }
}

/** In all, until the indexing is done once. */
const MOST_PAUSED_MS = 15_000;
const REST_MS = 2;

/** Pauses of the indexing, during work that needs the same disk and processor. */
export class Rest {
  #holders = 0;
  /** When the first of the present holders began. */
  #since = 0;
  #until = 0;
  /** The sum of all pauses since the last `reset`, but for the present one. */
  #pausedMs = 0;

  async during<T>(work: () => Promise<T>): Promise<T> {
    const present = this.#holders > 0 ? performance.now() - this.#since : 0;
    if (this.#pausedMs + present > MOST_PAUSED_MS) return work();
    if (this.#holders++ === 0) this.#since = performance.now();
    try {
      return await work();
    } finally {
      this.#until = performance.now() + REST_MS;
      if (--this.#holders === 0) this.#pausedMs += this.#until - this.#since;
    }
  }

  /** Resolves when no pause is wanted. */
  async over(isClosed: () => boolean): Promise<void> {
    while ((this.#holders > 0 || performance.now() < this.#until) && !isClosed()) await sleep(1);
  }

  reset(): void {
    this.#pausedMs = 0;
  }
}

const YIELD_MS = 4;

/** A yielder for long loops that are abandoned when their request is. */
export class YieldTimer {
  readonly #turns = createYielder(YIELD_MS);

  /** True at once within a time slice: searches call it for every note they look at. */
  breathe(signal?: AbortSignal): Promise<true> | true {
    return (
      this.#turns()?.then(() => {
        signal?.throwIfAborted();
        return true as const;
      }) ?? true
    );
  }
}
