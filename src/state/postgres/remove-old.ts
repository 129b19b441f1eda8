/** Removes rows that are over, however many there are, in steps: one statement for all would hold others up. */
import type { Database } from './database.ts';

export const REMOVED_AT_ONCE = 1_000;
/** The rest is left to the next time. */
const MOST_STEPS = 2_000;

/** The statement removes no more rows than go at once, and returns one for each. */
export async function removeInSteps(
  { repeatable }: Pick<Database, 'repeatable'>,
  statement: string,
  values?: readonly unknown[],
): Promise<void> {
  for (let step = 0; step < MOST_STEPS; step++) {
    const removed = await repeatable(statement, values);
    if (removed.length < REMOVED_AT_ONCE) return;
  }
}
