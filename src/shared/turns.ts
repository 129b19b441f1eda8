/** Long work asks between two steps: undefined within its turn, else a promise for the beginning of the next one. */
export type Turns = () => Promise<void> | undefined;

/** Turns of a given length, with everything else that waits in between. */
export function turnsOf(milliseconds: number): Turns {
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
