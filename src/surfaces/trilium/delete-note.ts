import * as z from 'zod';
import { deleteNote as remove } from '../../stores/trilium/change-note.ts';
import type { TriliumClient } from '../../stores/trilium/client.ts';
import { isAtLeast } from '../../stores/trilium/wire/transport.ts';
import type { TriliumNote } from '../../stores/trilium/wire/types.ts';
import { defineTool } from './backend.ts';
import { expectedBlobId, id } from './parameters.ts';

export const deleteNote = defineTool({
  name: 'delete_note',
  title: 'Delete or restore note',
  description:
    'action "delete": a note with all below it, from all of its places; "undelete": bring back one that was deleted. To take a note out of one place only use organize_note, action "unlink". Example: {"noteId":"abc123","action":"delete"}',
  effect: 'destroy',
  deletes: true,
  idempotent: true,
  input: () =>
    z.object({
      noteId: id(),
      action: z.enum(['delete', 'undelete']),
      expected_blob_id: expectedBlobId(),
    }),
  async run({ noteId, action, expected_blob_id }, { backend: { client, contents }, signal }) {
    if (action === 'undelete') {
      await client.notes.undelete(noteId, { signal });
      return { value: { success: true, noteId, action } };
    }
    const { title, childNoteIds, isProtected } = await contents.alone(noteId, () =>
      remove(client, noteId, { signal, expectedBlobId: expected_blob_id }),
    );
    const recovery = await recoveryOf(client, { noteId, isProtected });
    return {
      value: { success: true, noteId, action, title, childCount: childNoteIds.length, recovery },
    };
  },
});

/** How a note that was deleted comes back. It is deleted, whether or not Trilium says which version it is. */
async function recoveryOf(
  { system }: Pick<TriliumClient, 'system'>,
  { noteId, isProtected }: Pick<TriliumNote, 'noteId' | 'isProtected'>,
): Promise<string> {
  const inTrilium =
    'in Trilium, under Recent Changes, until Trilium erases it (after seven days unless set otherwise)';
  const version = await system.version().catch(() => undefined);
  const way =
    version !== undefined && isAtLeast(version, '0.102')
      ? `delete_note with action "undelete" and noteId ${noteId} brings it back with all below it, or undelete it ${inTrilium}.`
      : `Undelete it ${inTrilium}; from here that needs Trilium 0.102 or newer.`;
  return isProtected ? `${way} It is protected: unlock the protected notes in Trilium first.` : way;
}
