import * as z from 'zod';
import { isTextMime } from '../../stores/trilium/content-kind.ts';
import { listAttachments, showAttachment } from '../../stores/trilium/shown-attachments.ts';
import { defineTool } from './backend.ts';
import { decodedText, fileBlock, mostBytes, pieceOf, tooLarge, truncationNotice } from './blocks.ts';
import { contentStart, exactlyOne, id } from './parameters.ts';

export const getAttachment = defineTool({
  name: 'get_attachment',
  title: 'Read attachment(s)',
  description:
    'With noteId: the attachments of a note. With attachmentId: what it holds; pictures as pictures, text and SVG as text, anything else as a blob. include_content=false gives its metadata with blobId and size. Example: {"attachmentId":"xyz789"}',
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
    { backend: { client }, signal },
  ) {
    const options = { signal };
    const { attachments } = client;
    if (noteId !== undefined) return { value: {}, text: await listAttachments(client, noteId, options) };
    const attachment = await attachments.get(attachmentId, options);
    if (!isWhole) return { value: { ...(await showAttachment(client, attachment, options)) } };
    const { mime, contentLength = 0 } = attachment;
    const most = mostBytes(mime);
    const isText = isTextMime(mime);
    if (contentLength > most && !isText) throw tooLarge(attachmentId, contentLength, most);
    const { bytes } = await attachments.content(attachmentId, {
      ...options,
      maxBytes: !isText ? most : undefined,
    });
    const text = decodedText(mime, bytes);
    if (text === undefined)
      return {
        value: {},
        content: [fileBlock({ uri: `trilium:///attachments/${attachmentId}`, mime, bytes })],
      };
    const piece = pieceOf(text, start);
    return {
      value: {},
      content: [{ type: 'text', text: piece.text + truncationNotice(piece, 'get_attachment') }],
    };
  },
});
