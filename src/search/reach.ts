/**
 * Whether the place where the notes are answers. Everything that is asked of a store far away goes through `ask`, and
 * whoever waits for it waits `patiently`: no longer than something is heard. Notes near by are always in reach.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, isAppError } from '../shared/errors.ts';
import type { Backoff } from './failed-reads.ts';

interface ReachOptions {
  readonly isFar: boolean;
  readonly backoff: Backoff;
  /** How long nothing may be heard while somebody waits. */
  readonly stallMs?: number;
  /** How long somebody waits for an answer in all, however much is heard meanwhile. */
  readonly answerMs?: number;
}

/** What is known about a server that does not answer. */
interface Outage {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly error: AppError;
}

const STALL_MS = 2_000;
const ANSWER_MS = 3_000;
/** A single failure may be about a single note. */
const FAILURES_OF_AN_OUTAGE = 3;

export class Reach {
  readonly isFar: boolean;
  readonly answerMs: number;
  readonly #backoff: Backoff;
  readonly #stallMs: number;
  /** Since the last answer. */
  #failures = 0;
  #outage: Outage | undefined;
  #answeredAt: number | undefined;
  #heardAt = Number.NEGATIVE_INFINITY;
  #retryAt = 0;
  #rounds = 0;
  readonly #onRecovered = new Set<() => void>();

  constructor({ isFar, backoff, stallMs = STALL_MS, answerMs = ANSWER_MS }: ReachOptions) {
    this.isFar = isFar;
    this.answerMs = isFar ? answerMs : Number.POSITIVE_INFINITY;
    this.#backoff = backoff;
    this.#stallMs = stallMs;
  }

  /** The last thing asked failed, and nothing has been heard since. */
  get problem(): Outage | undefined {
    return this.#outage;
  }

  /** It fails again and again: asking for more would only be waited for. */
  get isDown(): boolean {
    return this.#failures >= FAILURES_OF_AN_OUTAGE;
  }

  /** When something was last heard, in milliseconds since 1970; undefined when nothing ever was. */
  get answeredAt(): number | undefined {
    return this.#answeredAt;
  }

  /** How long work in the background has to wait until it may ask again; 0 when it may. */
  get pauseMs(): number {
    return this.isDown ? Math.max(0, this.#retryAt - performance.now()) : 0;
  }

  onRecovered(listener: () => void): void {
    this.#onRecovered.add(listener);
  }

  /** Asks the store, and learns from how that ends; `isHeard` is false for an answer it had at hand. */
  async ask<T>(work: () => Promise<T>, isHeard: (answer: T) => boolean = () => true): Promise<T> {
    if (!this.isFar) return work();
    try {
      const answer = await work();
      if (isHeard(answer)) this.#answered();
      return answer;
    } catch (error) {
      if (isOutage(error)) this.#failed(error);
      // It was the server who refused: that is an answer too.
      else if (isAppError(error)) this.#answered();
      throw error;
    }
  }

  /** As the work ends, or with an error as soon as nothing has been heard for too long, or the time is over. */
  async patiently<T>(work: Promise<T>, mostMs = Number.POSITIVE_INFINITY): Promise<T> {
    if (!this.isFar) return work;
    if (this.isDown && this.#outage) {
      work.catch(() => {});
      throw this.#outage.error;
    }
    const begun = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const stalled = new Promise<never>((_, reject) => {
      const look = () => {
        const now = performance.now();
        const left = Math.max(begun, this.#heardAt) + this.#stallMs - now;
        if (now - begun >= mostMs) reject(tooSlow());
        else if (left > 0) timer = setTimeout(look, Math.min(left, begun + mostMs - now));
        else reject(this.#stalled());
      };
      look();
    });
    try {
      return await Promise.race([work, stalled]);
    } finally {
      clearTimeout(timer);
      work.catch(() => {});
    }
  }

  #answered(): void {
    const wasDown = this.isDown;
    this.#failures = 0;
    this.#rounds = 0;
    this.#outage = undefined;
    this.#answeredAt = Date.now();
    this.#heardAt = performance.now();
    if (wasDown) for (const listener of this.#onRecovered) listener();
  }

  #failed(error: AppError): void {
    this.#failures++;
    this.#outage = { since: this.#outage?.since ?? Date.now(), error };
    if (!this.isDown || performance.now() < this.#retryAt) return;
    this.#retryAt = performance.now() + this.#backoff.pauseMs(this.#rounds++);
  }

  #stalled(): AppError {
    const error = new AppError('timeout', 'The server of the notes does not answer', {
      hint: `Nothing was heard for ${this.#stallMs / 1000} seconds. Try again later.`,
    });
    this.#failures = Math.max(this.#failures, FAILURES_OF_AN_OUTAGE - 1);
    this.#failed(error);
    return error;
  }
}

/** Slow is not down: this says nothing about the server. */
export function tooSlow(): AppError {
  return new AppError('timeout', 'The server of the notes answers slowly', {
    hint: 'Not all that was asked of it has come in time. Try again in a moment.',
  });
}

/** Whether the error is about the server rather than about what was asked of it. */
function isOutage(error: unknown): error is AppError {
  return ['upstream_failed', 'timeout', 'rate_limited', 'unauthorized'].some((code) =>
    isAppError(error, code as AppError['code']),
  );
}

/** When work in the background rests, because somebody waits for an answer that needs the same disk and processor. */

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
