/** `organize_note`: move, clone, unlink and reorder. */
import * as z from 'zod';
import type { Call, Output } from '../../mcp/tool.ts';
import { reorderNotes } from '../../stores/trilium/note-tree.ts';
import { cloneNote, moveNote, unlinkBranch } from '../../stores/trilium/place.ts';
import { defineTool, type TriliumBackend } from './backend.ts';
import { id, position, requiredBy } from './parameters.ts';

const input = () =>
  z
    .object({
      action: z.enum(['move', 'clone', 'reorder', 'unlink']),
      noteId: id('move, clone').optional(),
      newParentNoteId: id('move').optional(),
      oldParentNoteId: id('move: the place to leave, if several').optional(),
      parentNoteId: id('clone, reorder').optional(),
      prefix: z.string().max(2_000).optional().describe('move, clone: shown before the title'),
      notePositions: z
        .array(z.object({ branchId: id(undefined, 'branch'), notePosition: position() }))
        .max(1_000)
        .optional()
        .describe('reorder'),
      branchId: id('unlink: "<parent id>_<note id>"', 'branch').optional(),
    })
    .superRefine(
      requiredBy({
        move: ['noteId', 'newParentNoteId'],
        clone: ['noteId', 'parentNoteId'],
        reorder: ['parentNoteId', 'notePositions'],
        unlink: ['branchId'],
      }),
    );

/** The schema guarantees the fields that each action needs. */
async function organize(
  given: z.infer<ReturnType<typeof input>>,
  call: Call<TriliumBackend>,
): Promise<Output> {
  const { action, noteId = '', newParentNoteId = '', oldParentNoteId, parentNoteId = '', prefix } = given;
  const { client } = call.backend;
  switch (action) {
    case 'move': {
      const moved = await moveNote(client, { noteId, newParentNoteId, oldParentNoteId, prefix });
      return placed({ success: true, action, ...moved }, moved.branch, call);
    }
    case 'clone': {
      const cloned = await cloneNote(client, { noteId, parentNoteId, prefix });
      return placed({ success: true, action, ...cloned }, cloned.branch, call);
    }
    case 'reorder': {
      const { notePositions = [] } = given;
      const { updated, previous } = await reorderNotes(client, parentNoteId, notePositions);
      return {
        value: { success: true, action, updatedBranches: updated, previousPositions: previous },
      };
    }
    case 'unlink': {
      const previous = await unlinkBranch(client, given.branchId ?? '');
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

export const organizeNote = defineTool({
  name: 'organize_note',
  title: 'Organize notes',
  description:
    'Change the tree. action "move": noteId to newParentNoteId; "clone": noteId also below parentNoteId; "reorder": notePositions of the notes below parentNoteId; "unlink": take away one place (branchId), never the last one. The answer has the former place as previous, to put it back. Example: {"action":"move","noteId":"abc123","newParentNoteId":"def456"}',
  effect: 'destroy',
  annotations: { idempotentHint: false },
  input,
  run: organize,
});
