import * as z from 'zod';
import { AppError } from '../../shared/errors.ts';
import { decodeContent } from '../../stores/trilium/binary-data.ts';
import { makeNote } from '../../stores/trilium/create-note.ts';
import { readEmbeds } from '../../stores/trilium/embed.ts';
import { storedOtherwise } from '../../stores/trilium/stored-bytes.ts';
import { defineTool } from './backend.ts';
import { noteView } from './note-view.ts';
import { embeds, format, id, NOTE_TYPES, newId, position, shortText, text } from './parameters.ts';
import {
  assertEmbeddable,
  embeddingFacts,
  infoOf,
  isOpened,
  LEFT_OUT,
  safeBody,
  safeEmbeds,
  storedHtml,
  storedOtherwiseOf,
} from './safe-file.ts';

export const createNote = defineTool({
  name: 'create_note',
  title: 'Create note',
  description:
    'Make a note below a parent ("root" is the top). Returns {note, branch, url}. Example: {"parentNoteId":"root","title":"Plan","type":"text","content":"# Goals\\n\\n- [ ] ship","format":"markdown"}',
  effect: 'write',
  takesFiles: true,
  idempotent: false,
  input: () =>
    z.object({
      parentNoteId: id(),
      title: shortText(),
      type: z.enum(NOTE_TYPES),
      content: text(
        'HTML, markdown or code; base64 or a data URL for file and image notes with a binary mime',
      ),
      format: format('Of the content of text notes'),
      mime: shortText('For code, file and image notes').optional(),
      notePosition: position().optional(),
      prefix: z.string().max(2_000).optional(),
      isExpanded: z.boolean().optional(),
      noteId: newId('Chosen by Trilium if omitted; must be free').optional(),
      branchId: z.string().optional().describe('Not used: it is always "<parent>_<note>"'),
      dateCreated: z
        .string()
        .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}[+-]\d{4}$/)
        .optional(),
      utcDateCreated: z
        .string()
        .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/)
        .optional(),
      images: embeds('Shown at src="image:0" or ![](image:0); appended when not named'),
      files: embeds('Linked at href="file:0" or [name](file:0); appended when not named'),
    }),
  async run({ content, format: written, branchId, images, files, ...given }, call) {
    const { client, conversion, addresses } = call.backend;
    assertEmbeddable(given.type, { images, files });
    const html =
      given.type === 'text'
        ? await storedHtml(call.backend, { ...given, content, format: written }, { signal: call.signal })
        : undefined;
    const sent = html === undefined ? bodyOf(given, content) : { body: html, mime: given.mime };
    const { mime } = sent;
    const body = isOpened(given) ? await safeBody(conversion, mime ?? 'text/plain', sent.body) : sent.body;
    const embedded = readEmbeds(typeof body === 'string' ? body : '', {
      images: images || undefined,
      files: files || undefined,
    });
    const safe = await safeEmbeds(conversion, embedded);
    addresses.prepare({ parentNoteIds: [given.parentNoteId] });
    const made = await makeNote(
      client,
      { note: { ...given, mime }, body, embeds: safe },
      { signal: call.signal },
    );
    return {
      value: {
        note: noteView(made.note),
        branch: made.branch,
        url: await addresses.of(made.note),
        ...embeddingFacts(made),
        ...infoOf(
          body !== sent.body && LEFT_OUT,
          isOpened(given) && storedOtherwise(mime, made.note.mime),
          storedOtherwiseOf(embedded, safe),
          branchId !== undefined &&
            branchId !== made.branch.branchId &&
            `branchId was not used: Trilium names a branch after its parent and its note, here ${made.branch.branchId}.`,
        ),
      },
    };
  },
});

interface CreateNoteInput {
  readonly type: (typeof NOTE_TYPES)[number];
  readonly mime?: string | undefined;
}

/** Only files and images can be bytes. */
function bodyOf(
  { type, mime }: CreateNoteInput,
  content: string,
): { body: string | Uint8Array; mime?: string | undefined } {
  if (type !== 'file' && type !== 'image') return { body: content, mime };
  if (mime === undefined && type === 'image' && !/^data:/i.test(content))
    throw new AppError('invalid_input', 'An image needs its mime', {
      subject: 'mime',
      hint: 'Give mime, for example image/png, or the content as a data URL. Nothing was written.',
    });
  return decodeContent(content, mime ?? 'text/plain');
}
