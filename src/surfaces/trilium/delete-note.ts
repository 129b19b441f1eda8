import * as z from 'zod';
import { deleteNote as remove } from '../../stores/trilium/delete-note.ts';
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
  async run({ noteId, action, expected_blob_id }, { backend: { client }, signal }) {
    if (action === 'undelete') {
      await client.notes.undelete(noteId, { signal });
      return { value: { success: true, noteId, action } };
    }
    const { title, childNoteIds } = await remove(client, noteId, {
      signal,
      expectedBlobId: expected_blob_id,
    });
    return {
      value: { success: true, noteId, action, title, childCount: childNoteIds.length },
    };
  },
});
