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

export interface SharedSlots {
  /** Runs the task in its turn. `tooLong` makes the error for who has waited in vain. */
  <T>(task: () => Promise<T>, wait: SlotWait, tooLong: () => Error): Promise<T>;
  /** Of a task that only waits for somebody meanwhile: its place is another's until then, and its own again at once. */
  lend<T>(wait: () => Promise<T>): Promise<T>;
}

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
  const held: NonNullable<ReturnType<typeof takeAny>>[] = [];
  /** Tasks that lent their places, are back, and found none free. */
  let without = 0;
  const giveBack = () => {
    if (without > 0) without--;
    else held.pop()?.release();
  };
  const take = async ({ signal, patienceMs }: SlotWait, tooLong: () => Error) => {
    await makePrivateFolder(folder);
    const deadline = performance.now() + patienceMs;
    let taken = takeAny();
    while (!taken) {
      if (performance.now() > deadline) throw tooLong();
      await sleep(randomInt(SHORTEST_MS, LONGEST_MS), undefined, { ...(signal && { signal }) });
      for (const file of files) takeAwayIfGone(file, FORGOTTEN_MS);
      taken = takeAny();
    }
    held.push(taken);
  };
  const inSlot = async <T>(task: () => Promise<T>, wait: SlotWait, tooLong: () => Error): Promise<T> => {
    await take(wait, tooLong);
    try {
      return await task();
    } finally {
      giveBack();
    }
  };
  const lend = async <T>(wait: () => Promise<T>): Promise<T> => {
    giveBack();
    try {
      return await wait();
    } finally {
      const taken = takeAny();
      if (taken) held.push(taken);
      else without++;
    }
  };
  return Object.assign(inSlot, { lend });
}
