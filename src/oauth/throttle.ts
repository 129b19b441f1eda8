/** Throttling: exponential backoff by key, and limits for every network an address is part of. */
import { networksOf } from '../shared/ip-ranges.ts';
import { LruMap } from '../shared/memoize.ts';
import { createWindowCounter } from '../shared/rate-limit.ts';

export interface ThrottledAttempt {
  readonly waitMs: number;
  /** Recent attempts, this one included. */
  readonly count: number;
  /** Takes this attempt out of the count. */
  undo(): void;
}

interface ThrottleOptions {
  /** Attempts before there is only one each `gapMs`. */
  readonly free: number;
  readonly gapMs: number;
  readonly maxWaitMs: number;
  /** The count starts again after so long without an attempt. */
  readonly forgottenMs: number;
  readonly maxKeys: number;
  readonly now: () => number;
}

interface Attempts {
  count: number;
  /** When the last attempt was made. */
  at: number;
  /** Until when the last attempt waits. */
  until: number;
}

/** Attempts without a delay. */
const WITHOUT_DELAY = 2;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;

/**
 * Slows attempts down by key, and never stops them: the first ones at once, the next with exponential backoff, then
 * one each `gapMs`. An attempt that would wait for longer than `maxWaitMs` is refused and not counted. Holds a bounded
 * number of keys, and evicts the one not seen for longest.
 */
export function createThrottle(options: ThrottleOptions): (key: string) => ThrottledAttempt | undefined {
  const { free, gapMs, maxWaitMs, forgottenMs, maxKeys, now } = options;
  const attemptsBy = new LruMap<Attempts>(maxKeys);

  const current = (key: string): Attempts => {
    const found = attemptsBy.get(key);
    const age = now() - (found?.at ?? 0);
    if (!found || age >= forgottenMs) return { count: 0, at: now(), until: 0 };
    // No attempt waits for longer than the limit, unless the clock was set back.
    if (age < 0 || found.until - now() > maxWaitMs) found.until = now();
    return found;
  };
  const nextWait = ({ count, until }: Attempts) =>
    count < free ? backoffOf(count + 1) : Math.max(until - now(), 0) + gapMs;

  return (key) => {
    const attempts = current(key);
    const waitMs = nextWait(attempts);
    if (waitMs > maxWaitMs) return undefined;
    attempts.until = attempts.count < free ? now() : now() + waitMs;
    attempts.count++;
    attempts.at = now();
    attemptsBy.set(key, attempts);
    return { waitMs, count: attempts.count, undo: () => void attempts.count-- };
  };
}

/** The delay of the attempt with that number. */
export function backoffOf(attempt: number): number {
  if (attempt <= WITHOUT_DELAY) return 0;
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - WITHOUT_DELAY - 1), MAX_DELAY_MS);
}

/** By the length of a network's prefix in bits; 32 stands for an IPv4 address. */
type ByPrefix<Value> = Readonly<Record<32 | 64 | 56 | 48, Value>>;

/** One for each length of prefix, so that the many small networks of one large one evict no others. */
export function byPrefix<Value>(limits: ByPrefix<number>, create: (limit: number) => Value): ByPrefix<Value> {
  return { 32: create(limits[32]), 64: create(limits[64]), 56: create(limits[56]), 48: create(limits[48]) };
}

const MAX_KEYS = 10_000;

/** Counts one more. Undefined within the limits, else the milliseconds until it would be within them again. */
export function createNetworkCounter(
  limits: ByPrefix<number>,
  spanMs: number,
  now: () => number,
): (address: string) => number | undefined {
  const counters = byPrefix(limits, () => createWindowCounter({ spanMs, maxKeys: MAX_KEYS, now }));
  return (address) => {
    const networks = networksOf(address).toReversed();
    const full = networks.find(({ bits, network }) => counters[bits].count(network) >= limits[bits]);
    if (full) return counters[full.bits].remaining(full.network);
    for (const { bits, network } of networks) counters[bits].add(network);
    return undefined;
  };
}
