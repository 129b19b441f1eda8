/** The actions of organize_note. */
import type * as z from 'zod';
import type { Call, Output } from '../../mcp/tool.ts';
import { cloneNote, moveNote, unlinkBranch } from '../../stores/trilium/place.ts';
import { type Position, reorderNotes } from '../../stores/trilium/reorder.ts';
import type { TriliumBackend } from './backend.ts';

interface Organizing {
  readonly action: 'move' | 'clone' | 'reorder' | 'unlink';
  readonly noteId?: string | undefined;
  readonly newParentNoteId?: string | undefined;
  readonly oldParentNoteId?: string | undefined;
  readonly parentNoteId?: string | undefined;
  readonly prefix?: string | undefined;
  readonly notePositions?: readonly Position[] | undefined;
  readonly branchId?: string | undefined;
}

const NEEDED = {
  move: ['noteId', 'newParentNoteId'],
  clone: ['noteId', 'parentNoteId'],
  reorder: ['parentNoteId', 'notePositions'],
  unlink: ['branchId'],
} as const;

export function checkOrganize(input: Organizing, context: z.RefinementCtx): void {
  for (const name of NEEDED[input.action])
    if (input[name] === undefined || (name === 'notePositions' && input.notePositions?.length === 0))
      context.addIssue({ code: 'custom', path: [name], message: `Required for action "${input.action}"` });
}

/** What the schema has made sure of is not asked for again. */
export async function organize(input: Organizing, call: Call<TriliumBackend>): Promise<Output> {
  const { action, noteId = '', newParentNoteId = '', oldParentNoteId, parentNoteId = '', prefix } = input;
  const { client } = call.backend;
  const options = { signal: call.signal };
  switch (action) {
    case 'move': {
      const moved = await moveNote(client, { noteId, newParentNoteId, oldParentNoteId, prefix }, options);
      return placed({ success: true, action, ...moved }, moved.branch, call);
    }
    case 'clone': {
      const cloned = await cloneNote(client, { noteId, parentNoteId, prefix }, options);
      return placed({ success: true, action, ...cloned }, cloned.branch, call);
    }
    case 'reorder': {
      const { notePositions = [] } = input;
      const { updated, previous } = await reorderNotes(client, parentNoteId, notePositions, options);
      return {
        value: { success: true, action, updatedBranches: updated, previousPositions: previous },
      };
    }
    case 'unlink': {
      const previous = await unlinkBranch(client, input.branchId ?? '', options);
      call.backend.addresses.forget(previous.noteId);
      return { value: { success: true, action, branchId: previous.branchId, previous } };
    }
  }
}

async function placed(
  value: Readonly<Record<string, unknown>>,
  { noteId, parentNoteId }: { readonly noteId: string; readonly parentNoteId: string },
  call: Call<TriliumBackend>,
): Promise<Output> {
  const { addresses } = call.backend;
  addresses.forget(noteId);
  return { value: { ...value, url: await addresses.of({ noteId, parentNoteIds: [parentNoteId] }) } };
}
