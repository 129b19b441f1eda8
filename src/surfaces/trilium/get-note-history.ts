import * as z from 'zod';
import { defineTool } from './backend.ts';
import { pagedRows } from './blocks.ts';
import { historyRow } from './note-view.ts';
import { id, limit, offset } from './parameters.ts';

export const getNoteHistory = defineTool({
  name: 'get_note_history',
  title: 'Note change history',
  description:
    'Recent changes, newest first: notes made, changed and deleted. Rows: {noteId, title, current_title?, current_isDeleted, utcDate, canBeUndeleted?}; a second block says how to go on. Deleted notes come back with delete_note, action "undelete". Example: {"limit":20}',
  effect: 'read',
  input: () =>
    z.object({
      ancestorNoteId: id('Only below this note').optional(),
      limit: limit(50, 500),
      offset: offset(),
    }),
  async run({ ancestorNoteId, ...page }, { backend: { client }, signal }) {
    const options = { signal };
    const rows = await client.notes.history(ancestorNoteId, options);
    // Below a note that does not exist there is no history, says Trilium.
    if (rows.length === 0 && ancestorNoteId !== undefined) await client.notes.get(ancestorNoteId, options);
    return pagedRows(rows.map(historyRow), page);
  },
});
