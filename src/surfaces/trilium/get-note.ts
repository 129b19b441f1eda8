import * as z from 'zod';
import { defineTool } from './backend.ts';
import { MOST_CHARACTERS } from './blocks.ts';
import { noteContent } from './note-content.ts';
import { noteView } from './note-view.ts';
import { contentStart, format, id } from './parameters.ts';

export const getNote = defineTool({
  name: 'get_note',
  title: 'Read note',
  description:
    'Read a note: block 1 is its metadata with blobId (give it to write_note as expected_blob_id), block 2 its text, then its images. format "markdown" is shorter to read; edits need the stored HTML (format "html"). include_content=false gives the metadata alone. Example: {"noteId":"abc123","format":"markdown"}',
  effect: 'read',
  input: () =>
    z.object({
      noteId: id(),
      include_content: z.boolean().default(true),
      format: format('For text notes; others come as they are'),
      includeImages: z.boolean().default(true),
      content_start: contentStart(),
      content_max_chars: z.int().min(1).max(500_000).default(MOST_CHARACTERS),
    }),
  async run({ noteId, include_content: isWhole, ...asked }, call) {
    if (!isWhole)
      return { value: noteView(await call.backend.client.notes.get(noteId, { signal: call.signal })) };
    const { note, contentInfo, blocks } = await noteContent(noteId, asked, call);
    return { value: { ...noteView(note), contentInfo }, blocks };
  },
});
