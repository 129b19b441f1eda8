/**
 * Carries out what was planned on notes: nothing while it has conflicts, as one change where the store can, else one
 * after the other.
 */
import { fitsOneChange } from '../notes/one-change.ts';
import type { JointChange } from '../notes/store.ts';
import { isAppError } from '../shared/errors.ts';
import { type EditableNotes, overlay } from './overlay.ts';

/** How often a change is planned anew because a note changed meanwhile. */
const MOST_PLANS = 5;
const CHANGED_MEANWHILE = ['conflict', 'not_found', 'already_exists'] as const;

export interface CarriedOut<Result> {
  readonly result: Result;
  /** False when there were conflicts before anything was changed. */
  readonly isBegun: boolean;
}

/** `work` is first run on notes in memory, as a plan. */
export async function carryOut<Result extends { readonly conflicts: readonly unknown[] }>(
  notes: EditableNotes,
  work: (notes: EditableNotes, isPlan: boolean) => Promise<Result>,
): Promise<CarriedOut<Result>> {
  for (let plan = 1; ; plan++) {
    const changes: (JointChange | undefined)[] = [];
    const planned = await work(
      overlay(notes, (change) => changes.push(change)),
      true,
    );
    if (planned.conflicts.length > 0) return { result: planned, isBegun: false };
    const together = notes.changeAll && asOne(changes);
    if (!together) return { result: await work(notes, false), isBegun: true };
    try {
      await notes.changeAll!(together);
      return { result: planned, isBegun: true };
    } catch (error) {
      if (plan === MOST_PLANS || !CHANGED_MEANWHILE.some((code) => isAppError(error, code))) throw error;
    }
  }
}

/** Undefined where the changes cannot be one, or need not. */
function asOne(changes: readonly (JointChange | undefined)[]): readonly JointChange[] | undefined {
  const joint = changes.filter((change) => change !== undefined);
  const bytes = joint.reduce((sum, change) => sum + (change.kind === 'write' ? change.content.length : 0), 0);
  const isOne = joint.length === changes.length && joint.length > 1 && fitsOneChange(joint.length, bytes);
  return isOne ? joint : undefined;
}
