/**
 * At most so many tasks at a time among all processes on this machine, or of several that share a disk. A place is a
 * file; who ended without giving its place back is found out by whoever needs it.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeAwayIfGone } from './folder-lock.ts';
import { makePrivateFolder } from './line-file.ts';
import { openLockNow } from './lock-now.ts';

export interface SlotWait {
  readonly signal?: AbortSignal;
  readonly patienceMs: number;
}

/** Runs the task in its turn. `tooLong` makes the error for who has waited in vain. */
export type SharedSlots = <T>(task: () => Promise<T>, wait: SlotWait, tooLong: () => Error) => Promise<T>;

const [SHORTEST_MS, LONGEST_MS] = [10, 60];
/** From elsewhere nobody can see whether a process lives; no task takes this long. */
const FORGOTTEN_MS = 3_600_000;

export function openSharedSlots(folder: string, name: string, limit: number): SharedSlots {
  const files = Array.from({ length: limit }, (_, at) => join(folder, `${name}-${at}.slot`));
  const places = files.map(openLockNow);
  const takeAny = () => {
    for (const place of places) {
      const taken = place.take();
      if (taken) return taken;
    }
    return undefined;
  };
  return async (task, { signal, patienceMs }, tooLong) => {
    await makePrivateFolder(folder);
    const deadline = performance.now() + patienceMs;
    let taken = takeAny();
    while (!taken) {
      if (performance.now() > deadline) throw tooLong();
      await sleep(randomInt(SHORTEST_MS, LONGEST_MS), undefined, { ...(signal && { signal }) });
      for (const file of files) await takeAwayIfGone(file, FORGOTTEN_MS);
      taken = takeAny();
    }
    try {
      return await task();
    } finally {
      taken.release();
    }
  };
}
