import * as z from 'zod';
import { defineTool } from './backend.ts';
import {
  changes,
  embeds,
  expectedBlobId,
  format,
  id,
  NOTE_TYPES,
  patch,
  shortText,
  text,
} from './parameters.ts';
import { checkWrite, runWrite } from './write-modes.ts';

export const writeNote = defineTool({
  name: 'write_note',
  title: 'Write note',
  description:
    'Change a note. mode "metadata": title, type, mime; "replace": the whole content; "append": content at the end; "edit": changes or patch on the stored HTML (read it with format "html"). A revision is taken first. Returns {success, noteId, mode, changed, blobId, url}. Example: {"noteId":"abc123","mode":"edit","changes":[{"old_string":"draft","new_string":"final"}]}',
  effect: 'destroy',
  takesFiles: true,
  idempotent: false,
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
      .superRefine(checkWrite),
  run: runWrite,
});
