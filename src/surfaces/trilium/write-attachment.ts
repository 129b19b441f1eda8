import * as z from 'zod';
import { decodeContent } from '../../stores/trilium/binary-data.ts';
import { showAttachment } from '../../stores/trilium/shown-attachments.ts';
import { assertReadableAs, storedOtherwise } from '../../stores/trilium/stored-bytes.ts';
import type { Attachment } from '../../stores/trilium/wire/types.ts';
import { defineTool } from './backend.ts';
import { changes, expectedBlobId, id, name, patch, position, text } from './parameters.ts';
import { assertHarmlessFile, infoOf, LEFT_OUT, safeBody, safeText } from './safe-file.ts';
import { checkAttachmentWrite, edited } from './write-modes.ts';

export const writeAttachment = defineTool({
  name: 'write_attachment',
  title: 'Write attachment',
  description:
    'Change an attachment. mode "metadata": role, mime, title, position; "replace": its content; "edit": changes or patch on its text. A revision of the note is taken before its content changes. Example: {"attachmentId":"xyz789","mode":"replace","content":"a,b"}',
  effect: 'destroy',
  takesFiles: true,
  idempotent: false,
  input: () =>
    z
      .object({
        attachmentId: id(undefined, 'attachment'),
        mode: z.enum(['metadata', 'replace', 'edit']),
        role: name().optional(),
        mime: name().optional(),
        title: name().optional(),
        position: position().optional(),
        content: text('replace: text for text types, else base64; or a data URL').optional(),
        changes: changes(),
        patch: patch(),
        expected_blob_id: expectedBlobId(),
      })
      .superRefine(checkAttachmentWrite),
  async run(input, { backend: { client, attachments, conversion }, signal }) {
    const { attachmentId, mode, role, mime, title, position: at, content = '' } = input;
    const options = { signal, expectedBlobId: input.expected_blob_id };
    if (mode === 'metadata') {
      if (mime !== undefined) {
        const { bytes } = await client.attachments.content(attachmentId, options);
        assertReadableAs({ mime }, bytes, attachmentId);
        await assertHarmlessFile(conversion, { mime, bytes, subject: attachmentId });
      }
      const patched = await attachments.describe(attachmentId, { role, mime, title, position: at }, options);
      return { value: { ...(await showAttachment(client, patched, { signal })) } };
    }
    let isCleaned = false;
    let wanted: string | undefined;
    const replaced = async (before: Attachment) => {
      const sent = decodeContent(content, before.mime);
      const body = await safeBody(conversion, sent.mime, sent.body);
      isCleaned = body !== sent.body;
      wanted = sent.mime;
      return { ...sent, body };
    };
    const changed = async (before: string, { mime: type }: Attachment) => {
      const after = edited(before, input);
      const body = await safeText(conversion, type, after);
      isCleaned = body !== after;
      return body;
    };
    const { attachment, isChanged } =
      mode === 'edit'
        ? await attachments.change(attachmentId, changed, options)
        : await attachments.replace(attachmentId, replaced, options);
    return {
      value: {
        success: true,
        attachmentId,
        mode,
        changed: isChanged,
        blobId: attachment.blobId,
        ...infoOf(isCleaned && LEFT_OUT, storedOtherwise(wanted, attachment.mime)),
      },
    };
  },
});
