import * as z from 'zod';
import { holdsText } from '../../stores/trilium/content-kind.ts';
import { defineTool } from './backend.ts';
import { contentOutput, decodedText, mostBytes, pagedRows } from './blocks.ts';
import { historyRow } from './note-view.ts';
import { contentStart, exactlyOne, format, id, limit, offset } from './parameters.ts';

export const getRevisions = defineTool({
  name: 'get_revisions',
  title: 'Get revisions',
  description:
    'Former states of a note. With noteId: the list, newest first. With revisionId: the stored text of that one, or with include_content=false its metadata. Example: {"noteId":"abc123"}',
  effect: 'read',
  input: () =>
    z
      .object({
        noteId: id('List its revisions').optional(),
        revisionId: id('Read this one', 'revision').optional(),
        include_content: z.boolean().default(true),
        content_start: contentStart(),
        limit: limit(50, 500),
        offset: offset(),
      })
      .superRefine((input, context) => exactlyOne(['noteId', 'revisionId'], input, context)),
  async run(
    { noteId, revisionId = '', include_content: isWhole, content_start: start, ...page },
    { backend: { client } },
  ) {
    const { revisions } = client;
    if (noteId !== undefined) {
      const list = await revisions.list(noteId);
      return pagedRows(
        list.map((one) => ({ ...one })),
        page,
      );
    }
    const revision = await revisions.get(revisionId);
    if (!isWhole) return { value: { ...revision } };
    const isText = holdsText(revision);
    const { bytes } = await revisions.content(revisionId, isText ? undefined : mostBytes(revision.mime));
    const text = isText ? decodedText('text/plain', bytes) : undefined;
    const file = { uri: `trilium:///revisions/${revisionId}`, mime: revision.mime, bytes };
    return contentOutput(text, file, { start, tool: 'get_revisions' });
  },
});

export const createRevision = defineTool({
  name: 'create_revision',
  title: 'Create revision',
  description:
    'Keep a copy of a note as it is, in its list of revisions. Tools that write take one by themselves. Example: {"noteId":"abc123","description":"before the rewrite"}',
  effect: 'write',
  annotations: { idempotentHint: false },
  input: () =>
    z.object({
      noteId: id(),
      format: format('Has no effect'),
      description: z.string().max(500).default('').describe('From Trilium 0.103 on'),
    }),
  async run({ noteId, description }, call) {
    const { client, addresses } = call.backend;
    const note = await client.notes.get(noteId);
    addresses.prepare(note);
    await client.revisions.create(noteId, description);
    const url = await addresses.of(note);
    const text = `Revision created for note ${noteId}. It is in the list of revisions of the note. View the note: ${url}`;
    return { value: {}, text };
  },
});

export const getNoteHistory = defineTool({
  name: 'get_note_history',
  title: 'Note change history',
  description:
    'Recent changes, newest first: notes made, changed and deleted. Rows: {noteId, title, current_title?, current_isDeleted, utcDate, canBeUndeleted?}; a second block says how to go on. Bring back deleted ones with delete_note. Example: {"limit":20}',
  effect: 'read',
  input: () =>
    z.object({
      ancestorNoteId: id('Only below this note').optional(),
      limit: limit(50, 500),
      offset: offset(),
    }),
  async run({ ancestorNoteId, ...page }, { backend: { client } }) {
    const rows = await client.notes.history(ancestorNoteId);
    // Trilium answers with an empty history for a note that does not exist.
    if (rows.length === 0 && ancestorNoteId !== undefined) await client.notes.get(ancestorNoteId);
    return pagedRows(rows.map(historyRow), page);
  },
});
