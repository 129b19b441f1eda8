/** Runs long work so that others have their turn, and ends it when nobody waits for it. */
import type { Yielder } from '../../../shared/async/time-slices.ts';
import type { RunSlices } from '../note-facts.ts';

export const TURN_MS = 15;

export function runInTurns(turns: Yielder, signal: AbortSignal | undefined): RunSlices {
  return async (steps) => {
    let step = steps.next();
    while (!step.done) {
      signal?.throwIfAborted();
      await turns();
      step = steps.next();
    }
    return step.value;
  };
}
