import * as z from 'zod';
import {
  addAttachment,
  fileLink,
  imageSource,
  listAttachments,
  showAttachment,
} from '../../stores/trilium/attach.ts';
import { isTextMime } from '../../stores/trilium/content-kind.ts';
import { assertReadableAs, decodeContent, storedOtherwise } from '../../stores/trilium/stored-bytes.ts';
import type { Attachment } from '../../stores/trilium/wire/entities.ts';
import { defineTool } from './backend.ts';
import { contentOutput, decodedText, mostBytes, tooLarge } from './blocks.ts';
import {
  changes,
  contentStart,
  exactlyOne,
  expectedBlobId,
  id,
  name,
  patch,
  position,
  text,
} from './parameters.ts';
import { assertHarmlessFile, infoOf, LEFT_OUT, safeBody, safeText } from './safe-file.ts';
import { checkWrite, edited } from './write-modes.ts';

export const getAttachment = defineTool({
  name: 'get_attachment',
  title: 'Read attachment(s)',
  description:
    'With noteId: the attachments of a note. With attachmentId: its content: pictures as pictures, text and SVG as text, the rest as a blob; include_content=false: its metadata with blobId and size. Example: {"attachmentId":"xyz789"}',
  effect: 'read',
  input: () =>
    z
      .object({
        attachmentId: id(undefined, 'attachment').optional(),
        noteId: id('List its attachments').optional(),
        include_content: z.boolean().default(true),
        content_start: contentStart(),
      })
      .superRefine((input, context) => exactlyOne(['attachmentId', 'noteId'], input, context)),
  async run(
    { attachmentId = '', noteId, include_content: isWhole, content_start: start },
    { backend: { client } },
  ) {
    const { attachments } = client;
    if (noteId !== undefined)
      return { value: {}, text: JSON.stringify(await listAttachments(client, noteId)) };
    const attachment = await attachments.get(attachmentId);
    if (!isWhole) return { value: { ...(await showAttachment(client, attachment)) } };
    const { mime, contentLength = 0 } = attachment;
    const most = mostBytes(mime);
    const isText = isTextMime(mime);
    if (contentLength > most && !isText) throw tooLarge(attachmentId, contentLength, most);
    const { bytes } = await attachments.content(attachmentId, isText ? undefined : most);
    const uri = `trilium:///attachments/${attachmentId}`;
    return contentOutput(decodedText(mime, bytes), { uri, mime, bytes }, { start, tool: 'get_attachment' });
  },
});

export const createAttachment = defineTool({
  name: 'create_attachment',
  title: 'Create attachment',
  description:
    'Attach a file to a note. Trilium erases those of role image and file after a while unless the text of the note refers to them: put the reference of the answer into it, or use images and files of write_note. Example: {"ownerId":"abc123","role":"file","mime":"text/csv","title":"data.csv","content":"a,b"}',
  effect: 'write',
  annotations: { idempotentHint: false },
  input: () =>
    z.object({
      ownerId: id('The note'),
      role: name('image, file, …'),
      mime: name(),
      title: name(),
      content: text('Text for text types, else base64; or a data URL, whose mime wins'),
      position: position().optional(),
    }),
  async run({ content, ...given }, { backend: { client, conversion, emptyLists } }) {
    const { body: sent, mime } = decodeContent(content, given.mime);
    const body = await safeBody(conversion, mime, sent);
    const attachment = await addAttachment(client, { ...given, mime, body }).finally(() =>
      emptyLists.forget(given.ownerId),
    );
    return {
      value: {
        ...attachment,
        ...reference(attachment),
        ...infoOf(body !== sent && LEFT_OUT, storedOtherwise(mime, attachment.mime)),
      },
    };
  },
});

function reference(attachment: Attachment): Record<string, unknown> {
  const { role, title, ownerId } = attachment;
  if (role !== 'image' && role !== 'file') return {};
  const name = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return {
    reference:
      role === 'image'
        ? `<img src="${imageSource(attachment, title)}">`
        : `<a class="reference-link" href="${fileLink(ownerId, attachment)}">${name}</a>`,
    warning:
      'No text refers to it yet, so Trilium will erase it: put the reference into the text of the note.',
  };
}

export const writeAttachment = defineTool({
  name: 'write_attachment',
  title: 'Write attachment',
  description:
    'Change an attachment. mode "metadata": role, mime, title, position; "replace": its content; "edit": changes or patch on its text. A revision is taken before content changes. Example: {"attachmentId":"xyz789","mode":"replace","content":"a,b"}',
  effect: 'destroy',
  annotations: { idempotentHint: false },
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
      .superRefine(checkWrite(['role', 'mime', 'title', 'position'])),
  async run(input, { backend: { client, attachments, conversion } }) {
    const { attachmentId, mode, role, mime, title, position: at, content = '' } = input;
    const options = { expectedBlobId: input.expected_blob_id };
    if (mode === 'metadata') {
      if (mime !== undefined) {
        const { bytes } = await client.attachments.content(attachmentId);
        assertReadableAs({ mime }, bytes, attachmentId);
        await assertHarmlessFile(conversion, { mime, bytes, subject: attachmentId });
      }
      const patched = await attachments.describe(attachmentId, { role, mime, title, position: at }, options);
      return { value: { ...(await showAttachment(client, patched)) } };
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

export const deleteAttachment = defineTool({
  name: 'delete_attachment',
  title: 'Delete attachment',
  description:
    'Delete an attachment; a revision of its note is taken first. Example: {"attachmentId":"xyz789"}',
  effect: 'destroy',
  deletes: true,
  annotations: { idempotentHint: true },
  input: () => z.object({ attachmentId: id(undefined, 'attachment'), expected_blob_id: expectedBlobId() }),
  async run({ attachmentId, expected_blob_id: expectedBlobId }, { backend: { attachments } }) {
    const { title, ownerId } = await attachments.remove(attachmentId, { expectedBlobId });
    return { value: { success: true, attachmentId, ownerId, title } };
  },
});
