/** How often and how fast a server that crashes is started again. */

export interface Restarts {
  /** A start failed, or what was started ended by itself. */
  crashed(): void;
  /** It has been up long enough to be trusted again. */
  steady(): void;
  /** How long the next start has to wait; undefined when there is none. */
  wait(): number | undefined;
  readonly count: number;
}

const MAX_RESTARTS = 5;
const LONGEST_MS = 30_000;
const FIRST_MS = 1_000;

/** 1, 2, 4 … 30 seconds, five times. `unitMs` is the first wait. */
export function createRestarts(now: () => number, unitMs: number = FIRST_MS): Restarts {
  let count = 0;
  let notBefore = 0;
  return {
    crashed() {
      count++;
      notBefore = now() + Math.min(unitMs * 2 ** (count - 1), LONGEST_MS);
    },
    steady() {
      count = 0;
      notBefore = 0;
    },
    wait: () => (count > MAX_RESTARTS ? undefined : Math.max(notBefore - now(), 0)),
    get count() {
      return count;
    },
  };
}
