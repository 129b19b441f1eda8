/**
 * Scans what a server sent within its share of the event loop: a hostile text costs its own call time, and no other. A
 * scan that has used up its time ends, and what it did not look at is a finding.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LruMap } from '../shared/memoize.ts';
import { createPacer, type Pacer } from '../upstream/pace.ts';
import type { Steps } from './catalog/scan/steps.ts';

export type PacedScan = <T>(server: string, steps: Steps<T>) => Promise<T>;

interface PacedScanOptions {
  /** Processor time of one scan. */
  readonly workMs?: number;
}

const WORK_MS = 1_500;
const PACE = { burstMs: 30, share: 0.5, turnMs: 4 };
const MAX_SERVERS = 500;

export function createPacedScan({ workMs = WORK_MS }: PacedScanOptions = {}): PacedScan {
  const pacers = new LruMap<Pacer>(MAX_SERVERS);
  return async (server, steps) => {
    const pace = pacers.get(server) ?? createPacer(PACE);
    pacers.set(server, pace);
    let used = 0;
    for (;;) {
      const begun = performance.now();
      const step = steps.next(used > workMs);
      const took = performance.now() - begun;
      used += took;
      if (step.done) {
        // What is done with a large result begins a turn of its own.
        if (used > PACE.turnMs) await nextTurn();
        return step.value;
      }
      const wait = pace(took);
      if (wait) await wait;
    }
  };
}
