import * as z from 'zod';
import { addAttachment, fileLink, imageSource } from '../../stores/trilium/attach.ts';
import { decodeContent } from '../../stores/trilium/binary-data.ts';
import { storedOtherwise } from '../../stores/trilium/stored-bytes.ts';
import type { Attachment } from '../../stores/trilium/wire/types.ts';
import { defineTool } from './backend.ts';
import { id, name, position, text } from './parameters.ts';
import { infoOf, LEFT_OUT, safeBody } from './safe-file.ts';

export const createAttachment = defineTool({
  name: 'create_attachment',
  title: 'Create attachment',
  description:
    'Attach a file to a note. Attachments of role image and file are erased by Trilium after a while unless the text of the note refers to them: put the reference of the answer into it, or use images and files of write_note. Example: {"ownerId":"abc123","role":"file","mime":"text/csv","title":"data.csv","content":"a,b"}',
  effect: 'write',
  takesFiles: true,
  idempotent: false,
  input: () =>
    z.object({
      ownerId: id('The note'),
      role: name('image, file, …'),
      mime: name(),
      title: name(),
      content: text('Text for text types, else base64; or a data URL, whose mime wins'),
      position: position().optional(),
    }),
  async run({ content, ...given }, { backend: { client, conversion, emptyLists }, signal }) {
    const { body: sent, mime } = decodeContent(content, given.mime);
    const body = await safeBody(conversion, mime, sent);
    const attachment = await addAttachment(client, { ...given, mime, body }, { signal }).finally(() =>
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
