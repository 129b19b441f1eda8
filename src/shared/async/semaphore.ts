/** Lets at most `limit` tasks run at a time; the others wait in line. */
export interface Semaphore {
  <T>(task: () => Promise<T>): Promise<T>;
  /** Of a task that only waits for somebody meanwhile: its place is another's until then, and its own again at once. */
  lend<T>(wait: () => Promise<T>): Promise<T>;
}

export function createSemaphore(limit: number): Semaphore {
  const waiting: (() => void)[] = [];
  /** Below zero while those who lent their places are back and others still have them. */
  let free = limit;
  const giveBack = () => {
    const next = free < 0 ? undefined : waiting.shift();
    // The slot goes from hand to hand, so that nobody slips in between.
    if (next) next();
    else free++;
  };
  const inSlot = async <T>(task: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
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
      free--;
    }
  };
  return Object.assign(inSlot, { lend });
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
