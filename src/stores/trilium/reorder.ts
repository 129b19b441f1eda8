/** The order of the notes below a note. Every place is looked at before any is changed. */
import { AppError } from '../../shared/errors.ts';
import { pooled } from '../../shared/pooled.ts';
import type { TriliumClient } from './client.ts';
import type { Branch, CallOptions } from './wire/types.ts';

export interface Position {
  readonly branchId: string;
  readonly notePosition: number;
}

const PARALLEL = 8;

export interface Reordered {
  readonly updated: readonly Branch[];
  /** Where they were: no revision keeps that. */
  readonly previous: readonly Position[];
}

export async function reorderNotes(
  { branches }: Pick<TriliumClient, 'branches'>,
  parentNoteId: string,
  positions: readonly Position[],
  options?: CallOptions,
): Promise<Reordered> {
  const present = await pooled(positions, PARALLEL, ({ branchId }) => branches.get(branchId, options));
  const stray = present.find((branch) => branch.parentNoteId !== parentNoteId);
  if (stray)
    throw new AppError('invalid_input', 'This place is below another note', {
      subject: stray.branchId,
      hint: `Its parent is ${stray.parentNoteId}, not ${parentNoteId}. Nothing was changed.`,
    });
  const updated: Branch[] = [];
  for (const { branchId, notePosition } of positions)
    updated.push(await branches.patch(branchId, { notePosition }, options));
  await branches.refreshOrdering(parentNoteId, options);
  return {
    updated,
    previous: present.map(({ branchId, notePosition }) => ({ branchId, notePosition })),
  };
}
