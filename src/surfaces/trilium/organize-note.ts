import * as z from 'zod';
import { defineTool } from './backend.ts';
import { checkOrganize, organize } from './organize-actions.ts';
import { id, position } from './parameters.ts';

export const organizeNote = defineTool({
  name: 'organize_note',
  title: 'Organize notes',
  description:
    'Change the tree. action "move": noteId to newParentNoteId; "clone": noteId also below parentNoteId; "reorder": notePositions of the notes below parentNoteId; "unlink": take away one place (branchId), never the last one. No revision keeps places: the answer has the former one as previous, to put it back. Example: {"action":"move","noteId":"abc123","newParentNoteId":"def456"}',
  effect: 'destroy',
  idempotent: false,
  input: () =>
    z
      .object({
        action: z.enum(['move', 'clone', 'reorder', 'unlink']),
        noteId: id('move, clone').optional(),
        newParentNoteId: id('move').optional(),
        oldParentNoteId: id('move: which place to leave, of a note with several').optional(),
        parentNoteId: id('clone, reorder').optional(),
        prefix: z
          .string()
          .max(2_000)
          .optional()
          .describe('move, clone: shown before the title at that place'),
        notePositions: z
          .array(z.object({ branchId: id(undefined, 'branch'), notePosition: position() }))
          .max(1_000)
          .optional()
          .describe('reorder'),
        branchId: id('unlink: "<parent id>_<note id>"', 'branch').optional(),
      })
      .superRefine(checkOrganize),
  run: organize,
});
