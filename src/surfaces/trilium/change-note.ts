import * as z from 'zod';
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from '../../stores/trilium/client.ts';
import { isOpened } from '../../stores/trilium/content-kind.ts';
import { makeNote, deleteNote as remove } from '../../stores/trilium/create-note.ts';
import { readEmbeds } from '../../stores/trilium/embed.ts';
import { decodeContent, storedOtherwise } from '../../stores/trilium/stored-bytes.ts';
import type { TriliumNote } from '../../stores/trilium/wire/entities.ts';
import { isAtLeast } from '../../stores/trilium/wire/transport.ts';
import { defineTool } from './backend.ts';
import { noteView } from './note-view.ts';
import {
  changes,
  embeds,
  expectedBlobId,
  format,
  id,
  NOTE_TYPES,
  newId,
  patch,
  position,
  shortText,
  text,
} from './parameters.ts';
import {
  assertEmbeddable,
  embeddingFacts,
  infoOf,
  LEFT_OUT,
  safeBody,
  safeEmbeds,
  storedHtml,
  storedOtherwiseOf,
} from './safe-file.ts';
import { expectedBlob, noteGone, noteShown } from './seen-notes.ts';
import { checkWrite, runWrite } from './write-modes.ts';

export const createNote = defineTool({
  name: 'create_note',
  title: 'Create note',
  description:
    'Make a note below a parent ("root" is the top). Returns {note, branch, url}. Example: {"parentNoteId":"root","title":"Plan","type":"text","content":"# Goals\\n\\n- [ ] ship","format":"markdown"}',
  effect: 'write',
  annotations: { idempotentHint: false },
  input: () =>
    z.object({
      parentNoteId: id(),
      title: shortText(),
      type: z.enum(NOTE_TYPES),
      content: text('HTML, markdown or code; base64 or a data URL if the mime is binary'),
      format: format('Of the content of text notes'),
      mime: shortText('For code, file and image notes').optional(),
      notePosition: position().optional(),
      prefix: z.string().max(2_000).optional(),
      isExpanded: z.boolean().optional(),
      noteId: newId('Must be free').optional(),
      branchId: z.string().optional().describe('Not used'),
      dateCreated: z
        .string()
        .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}[+-]\d{4}$/)
        .optional(),
      utcDateCreated: z
        .string()
        .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/)
        .optional(),
      images: embeds('Shown at src="image:0" or ![](image:0), else appended', 'Base64 or data URL'),
      files: embeds('Linked at href="file:0" or [name](file:0), else appended'),
    }),
  async run({ content, format: written, branchId, images, files, ...given }, call) {
    const { client, conversion, addresses } = call.backend;
    assertEmbeddable(given.type, { images, files });
    const html =
      given.type === 'text'
        ? await storedHtml(call.backend, { ...given, content, format: written })
        : undefined;
    const sent = html === undefined ? bodyOf(given, content) : { body: html, mime: given.mime };
    const { mime } = sent;
    const body = isOpened(given) ? await safeBody(conversion, mime ?? 'text/plain', sent.body) : sent.body;
    const embedded = readEmbeds(typeof body === 'string' ? body : '', { images, files });
    const safe = await safeEmbeds(conversion, embedded);
    addresses.prepare({ parentNoteIds: [given.parentNoteId] });
    const made = await makeNote(client, { note: { ...given, mime }, body, embeds: safe });
    await noteShown(call.backend, made.note);
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
  readonly mime?: string;
}

/** Only file and image notes may have binary content. */
function bodyOf(
  { type, mime }: CreateNoteInput,
  content: string,
): { body: string | Uint8Array; mime?: string | undefined } {
  if (!isOpened({ type })) return { body: content, mime };
  if (mime === undefined && type === 'image' && !/^data:/i.test(content))
    throw new AppError('invalid_input', 'An image needs its mime', {
      subject: 'mime',
      hint: 'Give mime, for example image/png, or the content as a data URL. Nothing was written.',
    });
  return decodeContent(content, mime ?? 'text/plain');
}

export const writeNote = defineTool({
  name: 'write_note',
  title: 'Write note',
  description:
    'Change a note. mode "metadata": title, type, mime; "replace": the whole content; "append": content at the end; "edit": changes or patch on the stored HTML (read it with format "html"). A revision is taken first. Returns {success, noteId, mode, changed, blobId, url}. Example: {"noteId":"abc123","mode":"edit","changes":[{"old_string":"draft","new_string":"final"}]}',
  effect: 'destroy',
  annotations: { idempotentHint: false },
  input: () =>
    z
      .object({
        noteId: id(),
        mode: z.enum(['metadata', 'replace', 'append', 'edit']),
        title: shortText().optional(),
        type: z.enum(NOTE_TYPES).optional(),
        mime: shortText().optional(),
        content: text('replace, append').optional(),
        changes: changes(),
        patch: patch(),
        format: format('Of content, for text notes'),
        images: embeds('replace, append: as in create_note'),
        files: embeds('replace, append: as in create_note'),
        expected_blob_id: expectedBlobId(),
      })
      .superRefine(checkWrite(['title', 'type', 'mime'])),
  run: runWrite,
});

export const deleteNote = defineTool({
  name: 'delete_note',
  title: 'Delete or restore note',
  description:
    'action "delete": a note with all below it, from all of its places; "undelete": bring back one that was deleted. To leave only one place use organize_note, action "unlink". Example: {"noteId":"abc123","action":"delete"}',
  effect: 'destroy',
  deletes: true,
  annotations: { idempotentHint: true },
  input: () =>
    z.object({
      noteId: id(),
      action: z.enum(['delete', 'undelete']),
      expected_blob_id: expectedBlobId(),
    }),
  async run({ noteId, action, expected_blob_id: expectedBlobId }, { backend }) {
    const { client, contents } = backend;
    if (action === 'undelete') {
      await client.notes.undelete(noteId);
      return { value: { success: true, noteId, action } };
    }
    const { title, childNoteIds, isProtected } = await contents.alone(noteId, () =>
      remove(client, noteId, {
        expectedBlobId,
        check: (note) => expectedBlob(backend, note, expectedBlobId),
      }),
    );
    await noteGone(backend, noteId);
    const recovery = await recoveryOf(client, { noteId, isProtected });
    return {
      value: { success: true, noteId, action, title, childCount: childNoteIds.length, recovery },
    };
  },
});

/** How to restore a deleted note. The note is deleted even when Trilium's version cannot be read. */
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
