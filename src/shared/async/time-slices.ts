/** Long work asks between two steps: undefined within its turn, else a promise for the beginning of the next one. */
export type Yielder = () => Promise<void> | undefined;

/** Turns of a given length, with everything else that waits in between. */
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

/** Long work written as steps: run without a pause, or with one whenever others should have their turn. */
export function runAtOnce<T>(steps: Generator<undefined, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** `breathe` is awaited between two steps; unless it says true, the rest is left undone. */
export async function runInSlices<T>(
  steps: Generator<undefined, T>,
  breathe: () => Promise<boolean>,
): Promise<T | undefined> {
  let step = steps.next();
  while (!step.done) {
    if (!(await breathe())) return undefined;
    step = steps.next();
  }
  return step.value;
}
