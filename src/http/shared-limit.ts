/**
 * A limit that holds over all servers that share a database. Each counts on its own and tells the others after every
 * hundredth of the limit: a call hardly ever waits for the database, and all servers together let through at most one
 * hundredth more for each server but one. While the database is away, each server goes on by what it knows, so the limit
 * holds on each alone: refusing everybody would be worse than a limit that is wider for a while.
 */
import { createHash } from 'node:crypto';
import { LruMap } from '../shared/memoize.ts';
import type { AddedRequests, RequestCounts, WindowCount } from '../state/postgres/request-counts.ts';

interface SharedLimitOptions {
  /** Apart from other limits of the same counts. */
  readonly name: string;
  readonly requests: number;
  readonly seconds: number;
  readonly maxKeys?: number;
  readonly counts: Pick<RequestCounts, 'add'>;
  /** In milliseconds. */
  readonly now?: () => number;
  /** The longest wait of a call for the database. */
  readonly patienceMs?: number;
}

interface Window {
  /** Counted by all servers, as the database said last. */
  total: number;
  /** Let through here and not yet told. */
  unsent: number;
  /** Being told now. */
  sending: number;
  /** Requests that wait for the database to decide; told next. */
  waiting: ((isIn: boolean) => void)[];
  isTelling: boolean;
  endsAt: number;
}

const MAX_KEYS = 20_000;
const PATIENCE_MS = 250;
/** How long nothing is waited for after the database did not answer in time. */
const AWAY_MS = 1_000;
const PARTS = 100;

/** Resolves to the wait in seconds of a key that has used up its requests; undefined when the request may go on. */
export function createSharedLimit(options: SharedLimitOptions): (key: string) => Promise<number | undefined> {
  const { name, requests, counts, maxKeys = MAX_KEYS, now = () => performance.now() } = options;
  const { patienceMs = PATIENCE_MS } = options;
  const spanMs = options.seconds * 1000;
  const most = Math.max(1, Math.floor(requests / PARTS));
  const windows = new LruMap<Window>(maxKeys);
  const add = inBatches(counts);
  let awayUntil = Number.NEGATIVE_INFINITY;

  const windowOf = (key: string): Window => {
    const found = windows.get(key);
    if (found && found.endsAt > now()) return found;
    return { total: 0, unsent: 0, sending: 0, waiting: [], isTelling: false, endsAt: now() + spanMs };
  };

  const tell = async (key: string, window: Window): Promise<void> => {
    const batch = window.waiting.splice(0);
    window.sending = window.unsent + batch.length;
    window.unsent = 0;
    try {
      const told = { key: hashOf(`${name} ${key}`), requests: window.sending, spanMs };
      const { requests: total, remainingMs } = await add(told);
      window.total = total;
      window.endsAt = now() + remainingMs;
      const room = batch.length - Math.max(0, total - requests);
      for (const [at, decide] of batch.entries()) decide(at < room);
    } catch {
      // The database logs why. What was not counted is told the next time.
      awayUntil = now() + AWAY_MS;
      const later = window.waiting.splice(0);
      window.unsent += window.sending + later.length;
      for (const decide of [...batch, ...later]) decide(true);
    }
    window.sending = 0;
  };
  const tellAll = async (key: string, window: Window): Promise<void> => {
    if (window.isTelling || now() < awayUntil) return;
    window.isTelling = true;
    do await tell(key, window);
    while (window.waiting.length > 0);
    window.isTelling = false;
  };

  return async (key) => {
    const window = windowOf(key);
    const refusal = () => Math.max(1, Math.ceil((window.endsAt - now()) / 1000));
    const untold = window.unsent + window.sending + window.waiting.length;
    if (window.total + untold >= requests) return refusal();
    windows.set(key, window);
    if (untold < most || now() < awayUntil) {
      window.unsent++;
      if (2 * (untold + 1) >= most) void tellAll(key, window);
      return undefined;
    }
    const decided = new Promise<boolean>((resolve) => window.waiting.push(resolve));
    void tellAll(key, window);
    const isIn = await within(decided, patienceMs);
    if (isIn === undefined) awayUntil = now() + AWAY_MS;
    return isIn === false ? refusal() : undefined;
  };
}

/** Undefined when it takes longer. */
async function within(decided: Promise<boolean>, milliseconds: number): Promise<boolean | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  const answer = await Promise.race([decided, late]);
  clearTimeout(timer);
  return answer;
}

const MAX_AT_ONCE = 500;

interface Waiting {
  readonly added: AddedRequests;
  readonly done: (count: WindowCount) => void;
  readonly failed: (error: unknown) => void;
}

/** One statement at a time for all keys that wait. */
function inBatches(counts: Pick<RequestCounts, 'add'>): (added: AddedRequests) => Promise<WindowCount> {
  let waiting: Waiting[] = [];
  let isSending = false;
  const send = async () => {
    isSending = true;
    // What else is counted in this turn of the event loop goes along.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_AT_ONCE);
      waiting = waiting.slice(MAX_AT_ONCE);
      try {
        const found = await counts.add(batch.map(({ added }) => added));
        for (const [at, { done }] of batch.entries()) done(found[at] ?? { requests: 0, remainingMs: 0 });
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    isSending = false;
  };
  return (added) =>
    new Promise((done, failed) => {
      waiting.push({ added, done, failed });
      if (!isSending) void send();
    });
}

/** Of one length, and without names of people. */
function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
