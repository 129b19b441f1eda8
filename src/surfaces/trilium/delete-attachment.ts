import * as z from 'zod';
import { defineTool } from './backend.ts';
import { expectedBlobId, id } from './parameters.ts';

export const deleteAttachment = defineTool({
  name: 'delete_attachment',
  title: 'Delete attachment',
  description:
    'Delete an attachment; a revision of its note is taken first. Example: {"attachmentId":"xyz789"}',
  effect: 'destroy',
  deletes: true,
  idempotent: true,
  input: () => z.object({ attachmentId: id(undefined, 'attachment'), expected_blob_id: expectedBlobId() }),
  async run({ attachmentId, expected_blob_id }, { backend: { attachments }, signal }) {
    const { title, ownerId } = await attachments.remove(attachmentId, {
      signal,
      expectedBlobId: expected_blob_id,
    });
    return { value: { success: true, attachmentId, ownerId, title } };
  },
});
