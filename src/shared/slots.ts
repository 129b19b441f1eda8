/** Lets at most `limit` tasks run at a time; the others wait in line. */
export function createSlots(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = limit;
  return async (task) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      // The slot goes from hand to hand, so that nobody slips in between.
      if (next) next();
      else free++;
    }
  };
}
