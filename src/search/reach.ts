/**
 * Whether the server of the notes answers. Every request to a far store goes through `ask`, and requests of clients
 * wait for it `patiently`: only while some answers arrive. A store on this machine is always in reach.
 */
import { AppError, isAppError } from '../shared/errors.ts';
import type { Backoff } from './failed-reads.ts';

interface ReachOptions {
  readonly isFar: boolean;
  readonly backoff: Backoff;
  /** How long a client waits while no answer at all arrives. */
  readonly stallMs?: number;
  /** How long a client waits in all, however many answers arrive meanwhile. */
  readonly answerMs?: number;
}

/** A server that does not answer. */
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
  /** In a row, since the last answer. */
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

  /** Set while the last request failed and no answer has arrived since. */
  get problem(): Outage | undefined {
    return this.#outage;
  }

  /** True after several failures in a row: clients do not wait for further requests. */
  get isDown(): boolean {
    return this.#failures >= FAILURES_OF_AN_OUTAGE;
  }

  /** The time of the last answer, in milliseconds since 1970. */
  get answeredAt(): number | undefined {
    return this.#answeredAt;
  }

  /** How long background work has to wait before its next request. */
  get pauseMs(): number {
    return this.isDown ? Math.max(0, this.#retryAt - performance.now()) : 0;
  }

  onRecovered(listener: () => void): void {
    this.#onRecovered.add(listener);
  }

  /** Sends a request and records its outcome; `isHeard` is false for an answer that came from a cache. */
  async ask<T>(work: () => Promise<T>, isHeard: (answer: T) => boolean = () => true): Promise<T> {
    if (!this.isFar) return work();
    try {
      const answer = await work();
      if (isHeard(answer)) this.#answered();
      return answer;
    } catch (error) {
      if (isOutage(error)) this.#failed(error);
      // A refusal by the server is an answer too.
      else if (isAppError(error)) this.#answered();
      throw error;
    }
  }

  /** Settles as `work` does, or with an error when no answer has arrived for too long, or after `mostMs`. */
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
      hint: `There was no answer for ${this.#stallMs / 1000} seconds. Try again later.`,
    });
    this.#failures = Math.max(this.#failures, FAILURES_OF_AN_OUTAGE - 1);
    this.#failed(error);
    return error;
  }
}

/** For a server that is slow, and does not count as down. */
export function tooSlow(): AppError {
  return new AppError('timeout', 'The server of the notes answers slowly', {
    hint: 'Part of the answer did not arrive in time. Try again in a moment.',
  });
}

/** Whether the error is about the server rather than about the request, or about how much there is to do. */
function isOutage(error: unknown): error is AppError {
  if (isAppError(error, 'timeout') && error.reason === 'busy') return false;
  return ['upstream_failed', 'timeout', 'rate_limited', 'unauthorized'].some((code) =>
    isAppError(error, code as AppError['code']),
  );
}
