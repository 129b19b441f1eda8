/**
 * Slows attempts down by key, and never stops them: the first ones at once, the next after longer and longer
 * delays, then one each `gapMs`. Whoever would have to wait for longer than `maxWaitMs` is told to come back, and
 * that attempt counts for nothing. Holds a bounded number of keys: the one not seen for longest goes first.
 */
export interface Pacer {
  /** Undefined when too many wait already. */
  take(key: string): Turn | undefined;
}

export interface Turn {
  readonly waitMs: number;
  /** How many there were lately, this one with them. */
  readonly count: number;
  /** This one does not count after all. */
  undo(): void;
}

interface PacerOptions {
  /** So many before there is only one each `gapMs`. */
  readonly free: number;
  readonly gapMs: number;
  readonly maxWaitMs: number;
  /** After so long without an attempt it is as if there had been none. */
  readonly forgottenMs: number;
  readonly maxKeys: number;
  readonly now: () => number;
}

interface Attempts {
  count: number;
  /** When the last one was made, and when the last turn is. */
  at: number;
  turn: number;
}

/** Of the free ones. */
const WITHOUT_DELAY = 2;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;

export function createPacer(options: PacerOptions): Pacer {
  const { free, gapMs, maxWaitMs, forgottenMs, maxKeys, now } = options;
  const kept = new Map<string, Attempts>();

  const current = (key: string): Attempts => {
    const found = kept.get(key);
    const age = now() - (found?.at ?? 0);
    if (!found || age >= forgottenMs) return { count: 0, at: now(), turn: 0 };
    // No turn is further away than somebody may wait, unless the clock was set back.
    if (age < 0 || found.turn - now() > maxWaitMs) found.turn = now();
    return found;
  };
  const nextWait = ({ count, turn }: Attempts) =>
    count < free ? delayOf(count + 1) : Math.max(turn - now(), 0) + gapMs;

  return {
    take(key) {
      const attempts = current(key);
      const waitMs = nextWait(attempts);
      if (waitMs > maxWaitMs) return undefined;
      attempts.turn = attempts.count < free ? now() : now() + waitMs;
      attempts.count++;
      attempts.at = now();
      kept.delete(key);
      kept.set(key, attempts);
      if (kept.size > maxKeys) kept.delete(kept.keys().next().value ?? key);
      return { waitMs, count: attempts.count, undo: () => void attempts.count-- };
    },
  };
}

/** Of so many attempts, the last. */
export function delayOf(attempt: number): number {
  if (attempt <= WITHOUT_DELAY) return 0;
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - WITHOUT_DELAY - 1), MAX_DELAY_MS);
}
