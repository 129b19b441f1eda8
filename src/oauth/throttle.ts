/** Counts by every network an address may be part of, with a limit for each size: many small ones are one large one. */
import { networksOf } from '../shared/ip-ranges.ts';

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

/** Counts by key within a span of time. Holds a bounded number of keys: the one not seen for longest goes first. */
export interface Counter {
  /** One more; how many there are now. */
  add(key: string): number;
  /** How many there are. */
  count(key: string): number;
  /** Milliseconds until the count begins anew. */
  remaining(key: string): number;
}

interface CounterOptions {
  readonly spanMs: number;
  readonly maxKeys: number;
  readonly now: () => number;
}

export function createCounter({ spanMs, maxKeys, now }: CounterOptions): Counter {
  const counts = new Map<string, { count: number; since: number }>();
  const current = (key: string) => {
    const found = counts.get(key);
    const age = now() - (found?.since ?? 0);
    // A count from the future is of a clock that was set back since.
    return age >= 0 && age < spanMs ? found : undefined;
  };

  return {
    add(key) {
      const { count, since } = current(key) ?? { count: 0, since: now() };
      counts.delete(key);
      counts.set(key, { count: count + 1, since });
      if (counts.size > maxKeys) counts.delete(counts.keys().next().value ?? key);
      return count + 1;
    },
    count: (key) => current(key)?.count ?? 0,
    remaining: (key) => Math.max(0, spanMs - (now() - (current(key)?.since ?? now() - spanMs))),
  };
}

/** By how many bits of the address are looked at; 32 stands for an IPv4 address. */
type NetworkLimits = Readonly<Record<32 | 64 | 56 | 48, number>>;

interface NetworkCounter {
  /** One more. Undefined while that is within the limits, else the milliseconds until it would be again. */
  add(address: string): number | undefined;
}

interface NetworkCounterOptions {
  readonly limits: NetworkLimits;
  readonly spanMs: number;
  readonly now: () => number;
}

const MAX_KEYS = 10_000;

export function createNetworkCounter({ limits, spanMs, now }: NetworkCounterOptions): NetworkCounter {
  const counting = () => createCounter({ spanMs, maxKeys: MAX_KEYS, now });
  // Apart, so that the many small networks of one large one push out no others.
  const counters: Readonly<Record<32 | 64 | 56 | 48, Counter>> = {
    32: counting(),
    64: counting(),
    56: counting(),
    48: counting(),
  };
  return {
    add(address) {
      const networks = networksOf(address).toReversed();
      const full = networks.find(({ bits, network }) => counters[bits].count(network) >= limits[bits]);
      if (full) return counters[full.bits].remaining(full.network);
      for (const { bits, network } of networks) counters[bits].add(network);
      return undefined;
    },
  };
}

/** Lets a few through at once and a bounded number wait. */
interface Turnstile {
  /** Undefined when too many wait already; nothing was done then. */
  pass<T>(task: () => Promise<T>): Promise<{ readonly result: T } | undefined>;
}

export function createTurnstile(atOnce: number, maxWaiting: number): Turnstile {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return {
    async pass(task) {
      if (inside >= atOnce) {
        if (waiting.length >= maxWaiting) return undefined;
        await new Promise<void>((enter) => waiting.push(enter));
      } else inside++;
      try {
        return { result: await task() };
      } finally {
        // Whoever waits takes this place; nobody can slip in between.
        const next = waiting.shift();
        if (next) next();
        else inside--;
      }
    },
  };
}
