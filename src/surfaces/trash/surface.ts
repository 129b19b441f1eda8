/** The tools of the set `trash`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';
import { emptyTrash } from './empty-trash.ts';
import { listTrash } from './list-trash.ts';
import { restoreNote } from './restore-note.ts';

export const trashSurface: Surface<NoteSetBackend> = {
  id: 'trash',
  instructions: 'list_trash shows deleted notes, restore_note brings them back.',
  tools: [listTrash, restoreNote, emptyTrash],
  renderError: plainResult,
};
