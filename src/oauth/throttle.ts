/**
 * Throttling: exponential backoff by key, and limits for every network an address is part of. Counted in memory by one
 * server alone, and in the state by several that share it, so that guessing on many servers gains nothing.
 */
import { networksOf } from '../shared/ip-ranges.ts';
import { LruMap } from '../shared/memoize.ts';
import { changeValue, type ValueChange } from '../state/change-value.ts';
import type { OAuthContext } from './context.ts';
import { hashOf } from './tickets.ts';

interface Attempts {
  readonly count: number;
  /** Of the last attempt, or the beginning of a window. */
  readonly at: number;
  /** Until when the last attempt waits. */
  readonly until: number;
}

/** Counted attempts by key. */
export interface AttemptRecords {
  change<Result>(
    key: string,
    decide: (found: Attempts | undefined) => ValueChange<Attempts, Result>,
  ): Promise<Result>;
}

/** Most keys in memory; the one not seen for longest is evicted. In the state, time alone ends them. */
const MAX_KEYS = 10_000;

/** `name` tells the records of one purpose from those of others. */
export function attemptRecords({ state }: Pick<OAuthContext, 'state'>, name: string): AttemptRecords {
  if (state.isShared)
    return {
      change: (key, decide) => changeValue(state, `attempts:${hashOf(JSON.stringify([name, key]))}`, decide),
    };
  const records = new LruMap<Attempts>(MAX_KEYS);
  return {
    async change(key, decide) {
      const { put, result } = decide(records.get(key));
      if (put) records.set(key, put.value);
      return result;
    },
  };
}

export interface ThrottledAttempt {
  readonly waitMs: number;
  /** Recent attempts, this one included. */
  readonly count: number;
  /** Takes this attempt out of the count. */
  undo(): Promise<void>;
}

interface ThrottleOptions {
  /** Attempts before there is only one each `gapMs`. */
  readonly free: number;
  readonly gapMs: number;
  readonly maxWaitMs: number;
  /** The count starts again after so long without an attempt. */
  readonly forgottenMs: number;
  readonly records: AttemptRecords;
  readonly now: () => number;
}

/** Attempts without a delay. */
const WITHOUT_DELAY = 2;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8_000;
/** The clocks of servers that share the state may differ by this. */
const CLOCK_TOLERANCE_MS = 10_000;

/**
 * Slows attempts down by key, and never stops them: the first ones at once, the next with exponential backoff, then
 * one each `gapMs`. An attempt that would wait for longer than `maxWaitMs` is refused and not counted.
 */
export function createThrottle(
  options: ThrottleOptions,
): (key: string) => Promise<ThrottledAttempt | undefined> {
  const { free, gapMs, maxWaitMs, forgottenMs, records, now } = options;
  const ttlSeconds = forgottenMs / 1000;

  const current = (found: Attempts | undefined): Attempts => {
    const age = now() - (found?.at ?? 0);
    if (!found || age >= forgottenMs) return { count: 0, at: now(), until: 0 };
    // No attempt waits for longer than the limit, unless the clock was set back.
    const isSetBack = age < -CLOCK_TOLERANCE_MS || found.until - now() > maxWaitMs + CLOCK_TOLERANCE_MS;
    return isSetBack ? { ...found, until: now() } : found;
  };
  const nextWait = ({ count, until }: Attempts) =>
    count < free ? backoffOf(count + 1) : Math.max(until - now(), 0) + gapMs;

  return async (key) => {
    const attempt = await records.change(key, (found) => {
      const before = current(found);
      const waitMs = nextWait(before);
      if (waitMs > maxWaitMs) return { result: undefined };
      const count = before.count + 1;
      const until = before.count < free ? now() : now() + waitMs;
      return { put: { value: { count, at: now(), until }, ttlSeconds }, result: { waitMs, count } };
    });
    return attempt && { ...attempt, undo: () => takeBack(records, key, ttlSeconds) };
  };
}

function takeBack(records: AttemptRecords, key: string, ttlSeconds: number): Promise<void> {
  return records.change(key, (found) => ({
    ...(found && { put: { value: { ...found, count: Math.max(0, found.count - 1) }, ttlSeconds } }),
    result: undefined,
  }));
}

/** Counts within windows of a fixed length, each of which begins with the first attempt after the last window. */
export function createAttemptWindows(records: AttemptRecords, spanMs: number, now: () => number) {
  const ttlSeconds = Math.ceil(spanMs / 1000);
  const current = (found: Attempts | undefined): Attempts => {
    const age = now() - (found?.at ?? 0);
    return found && age > -CLOCK_TOLERANCE_MS && age < spanMs
      ? found
      : { count: 0, at: now(), until: now() + spanMs };
  };
  return {
    /** One more, unless there are `most`; what there was before. */
    add: (key: string, most = Number.POSITIVE_INFINITY) =>
      records.change(key, (found) => {
        const window = current(found);
        const result = { count: window.count, remainingMs: Math.max(0, window.until - now()) };
        if (window.count >= most) return { result };
        return { put: { value: { ...window, count: window.count + 1 }, ttlSeconds }, result };
      }),
    count: (key: string) => records.change(key, (found) => ({ result: current(found).count })),
    undo: (key: string) => takeBack(records, key, ttlSeconds),
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
export function byPrefix<Value>(
  limits: ByPrefix<number>,
  create: (limit: number, bits: number) => Value,
): ByPrefix<Value> {
  const made = (bits: keyof ByPrefix<number>) => create(limits[bits], bits);
  return { 32: made(32), 64: made(64), 56: made(56), 48: made(48) };
}

/** Counts one more. Undefined within the limits, else the milliseconds until it would be within them again. */
export function createNetworkCounter(
  limits: ByPrefix<number>,
  spanMs: number,
  { state, now, name }: Pick<OAuthContext, 'state' | 'now'> & { readonly name: string },
): (address: string) => Promise<number | undefined> {
  const windows = byPrefix(limits, (_, bits) =>
    createAttemptWindows(attemptRecords({ state }, `${name} ${bits}`), spanMs, now),
  );
  return async (address) => {
    const counted: (() => Promise<void>)[] = [];
    for (const { bits, network } of networksOf(address).toReversed()) {
      const { count, remainingMs } = await windows[bits].add(network, limits[bits]);
      if (count >= limits[bits]) {
        await Promise.all(counted.map((undo) => undo()));
        return remainingMs;
      }
      counted.push(() => windows[bits].undo(network));
    }
    return undefined;
  };
}
