/** Counts uses within a sliding window for all processes that share a file. A use is reserved first, and may be given back. */
import { openJsonFile } from './json-file.ts';

export interface SharedWindow {
  /**
   * Reserves one use unless `most` are counted already. Resolves to a function that gives it back, or to undefined. A
   * reservation of a process that crashed counts until the window has passed.
   */
  reserve(most: number): Promise<(() => Promise<void>) | undefined>;
}

const MAX_BYTES = 1024 * 1024;

export function openSharedWindow(file: string, spanMs: number, now: () => number = Date.now): SharedWindow {
  const times = openJsonFile<readonly number[]>(file, { parse: timesOf, empty: [], maxBytes: MAX_BYTES });
  const recent = (all: readonly number[]) => {
    const at = now();
    // A time in the future was counted before the clock was set back.
    return all.filter((time) => time > at - spanMs && time <= at + spanMs);
  };
  return {
    reserve: async (most) => {
      const mine = await times.update((all) => {
        const counted = recent(all);
        if (counted.length >= most) return { value: all, result: undefined };
        let at = now();
        // Each use has a time of its own, by which it is given back.
        while (counted.includes(at)) at += 0.001;
        return { value: [...counted, at], result: at };
      });
      if (mine === undefined) return undefined;
      return () => times.update((all) => ({ value: all.filter((time) => time !== mine), result: undefined }));
    },
  };
}

function timesOf(value: unknown): readonly number[] {
  if (Array.isArray(value) && value.every(Number.isFinite)) return value as number[];
  throw new TypeError('is no list of times');
}
