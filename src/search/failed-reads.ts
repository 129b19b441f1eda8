/** Notes that are there and could not be read: each is tried again, later and later, until it can be or is gone. */
import type { NotePath } from '../notes/path.ts';
import type { NoteMeta } from '../notes/store.ts';
import { type ErrorCode, isAppError } from '../shared/errors.ts';
import type { Backoff } from './backoff.ts';

interface FailedRead {
  readonly meta: NoteMeta;
  readonly tries: number;
  readonly code: ErrorCode;
  /** On the clock of `performance`. */
  readonly retryAt: number;
}

/** One that failed oftener is not read by each search any more. */
const WORTH_A_LOOK = 3;

export class FailedReads {
  readonly #reads = new Map<NotePath, FailedRead>();
  readonly #backoff: Backoff;
  readonly #onDue: (metas: readonly NoteMeta[]) => void;
  /** How often each has failed, also while it is being tried again. */
  readonly #tries = new Map<NotePath, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(backoff: Backoff, onDue: (metas: readonly NoteMeta[]) => void) {
    this.#backoff = backoff;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#reads.size;
  }

  values(): Iterable<FailedRead> {
    return this.#reads.values();
  }

  /** Those a search may have more luck with. */
  worthALook(): NoteMeta[] {
    return [...this.#reads.values()].filter(({ tries }) => tries < WORTH_A_LOOK).map(({ meta }) => meta);
  }

  /** Those that have failed often: they are known by name only. */
  hopeless(): NoteMeta[] {
    return [...this.#reads.values()].filter(({ tries }) => tries >= WORTH_A_LOOK).map(({ meta }) => meta);
  }

  add(meta: NoteMeta, error: unknown): void {
    const tries = (this.#tries.get(meta.path) ?? 0) + 1;
    this.#tries.set(meta.path, tries);
    const retryAt = performance.now() + this.#backoff.pauseMs(tries - 1);
    this.#reads.set(meta.path, { meta, tries, retryAt, code: isAppError(error) ? error.code : 'internal' });
    this.#arm();
  }

  /** It was read, has changed or is gone. */
  forget(path: NotePath): void {
    this.#tries.delete(path);
    this.#reads.delete(path);
  }

  /** The server is back: nobody has to wait any longer. */
  retryNow(): void {
    this.#hand([...this.#reads.values()]);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#reads.size === 0) return;
    let next = Number.POSITIVE_INFINITY;
    for (const { retryAt } of this.#reads.values()) next = Math.min(next, retryAt);
    this.#timer = setTimeout(
      () => this.#hand([...this.#reads.values()].filter(({ retryAt }) => retryAt <= performance.now())),
      Math.max(1, next - performance.now()),
    ).unref();
  }

  #hand(due: readonly FailedRead[]): void {
    for (const { meta } of due) this.#reads.delete(meta.path);
    this.#arm();
    if (due.length > 0) this.#onDue(due.map(({ meta }) => meta));
  }
}
