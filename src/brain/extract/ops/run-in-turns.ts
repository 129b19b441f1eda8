/** Runs long work so that others have their turn, and ends it when nobody waits for it. */
import type { Turns } from '../../../shared/async/time-slices.ts';
import type { Run } from '../note-facts.ts';

export const TURN_MS = 15;

export function runInTurns(turns: Turns, signal: AbortSignal | undefined): Run {
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
