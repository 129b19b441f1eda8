/**
 * Cooperative scheduling. Long work calls it between two steps: undefined within its time slice, else a promise that
 * resolves at the start of the next one.
 */
export type Yielder = () => Promise<void> | undefined;

/** Time slices of the given length; the event loop runs in between. */
export function createYielder(milliseconds: number): Yielder {
  let begun = performance.now();
  return () => {
    if (performance.now() - begun < milliseconds) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        begun = performance.now();
        resolve();
      });
    });
  };
}

/** Runs work that is written as a generator of steps, without yielding. */
export function runAtOnce<T>(steps: Generator<undefined, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Awaits `breathe` between two steps; abandons the work unless it resolves to true. */
export async function runInSlices<T>(
  steps: Generator<undefined, T>,
  breathe: () => Promise<boolean> | boolean,
): Promise<T | undefined> {
  let step = steps.next();
  while (!step.done) {
    if (!(await breathe())) return undefined;
    step = steps.next();
  }
  return step.value;
}

const SLICE_MS = 5;

/** One step for each item, in time slices: for work over all notes, during which other calls are answered. */
export async function forEachInSlices<T>(
  items: Iterable<T>,
  step: (item: T) => void,
  signal?: AbortSignal,
): Promise<void> {
  const breathe = createYielder(SLICE_MS);
  for (const item of items) {
    step(item);
    const pause = breathe();
    if (!pause) continue;
    await pause;
    signal?.throwIfAborted();
  }
}
