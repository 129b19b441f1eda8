/** Semaphores: at most so many tasks at a time, in this process or among all processes that share a folder. */
import { join } from 'node:path';
import { acquireAnyLock, type LockOptions, tryLock } from '../fs/lock-file.ts';
import { makePrivateFolder } from '../fs/private.ts';

/** Runs a task when it is its turn; `Wait` says how to wait. */
export interface Semaphore<Wait extends unknown[] = []> {
  <T>(task: () => Promise<T>, ...wait: Wait): Promise<T>;
  /**
   * For a task that only waits for a person or another server meanwhile: its permit is free for others until then. The
   * task never waits to have it back; instead one permit more is out for a while.
   */
  lend<T>(wait: () => Promise<T>): Promise<T>;
}

type Release = () => void;

interface Permits<Wait extends unknown[]> {
  tryAcquire(): Release | undefined;
  acquire(...wait: Wait): Promise<Release>;
}

/** Thrown when as many tasks wait as may; the task was not run. */
export class SemaphoreFull extends Error {}

export function createSemaphore(
  limit: number,
  { maxWaiting = Number.POSITIVE_INFINITY }: { readonly maxWaiting?: number } = {},
): Semaphore {
  const waiting: (() => void)[] = [];
  let free = limit;
  const release = () => {
    const next = waiting.shift();
    // The permit goes from hand to hand, so that no later task slips in between.
    if (next) next();
    else free++;
  };
  const tryAcquire = () => {
    if (free <= 0) return undefined;
    free--;
    return release;
  };
  return semaphoreOver({
    tryAcquire,
    async acquire() {
      const permit = tryAcquire();
      if (permit) return permit;
      if (waiting.length >= maxWaiting) throw new SemaphoreFull('Too many tasks are waiting');
      await new Promise<void>((resolve) => waiting.push(resolve));
      return release;
    },
  });
}

/** Among all processes that use the folder. A permit is a lock file, so that of a crashed process is free again. */
export function openSharedSemaphore(
  folder: string,
  name: string,
  limit: number,
): Semaphore<[wait: LockOptions]> {
  const files = Array.from({ length: limit }, (_, at) => join(folder, `${name}-${at}.slot`));
  return semaphoreOver({
    tryAcquire() {
      for (const file of files) {
        const lock = tryLock(file);
        if (lock) return lock.release;
      }
      return undefined;
    },
    async acquire(wait) {
      await makePrivateFolder(folder);
      return (await acquireAnyLock(files, wait)).release;
    },
  });
}

function semaphoreOver<Wait extends unknown[]>(permits: Permits<Wait>): Semaphore<Wait> {
  const held: Release[] = [];
  /** Tasks that are back from lending their permits while others still have them. */
  let overdrawn = 0;
  const giveBack = () => {
    if (overdrawn > 0) overdrawn--;
    else held.pop()?.();
  };
  const run = async <T>(task: () => Promise<T>, ...wait: Wait): Promise<T> => {
    held.push(await permits.acquire(...wait));
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
      const permit = permits.tryAcquire();
      if (permit) held.push(permit);
      else overdrawn++;
    }
  };
  return Object.assign(run, { lend });
}

/** Maps with at most `width` tasks under way, results in input order; stops taking new items once aborted or failed. */
export async function mapConcurrently<In, Out>(
  items: readonly In[],
  width: number,
  task: (item: In) => Promise<Out>,
  signal?: AbortSignal,
): Promise<Out[]> {
  const results: Out[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      signal?.throwIfAborted();
      const at = next++;
      results[at] = await task(items[at] as In);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
}
