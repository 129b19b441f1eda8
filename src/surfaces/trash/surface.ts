/** The tools of the set `trash`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';

export const trashSurface: Surface<NoteSetBackend> = {
  id: 'trash',
  instructions: 'list_trash shows deleted notes.',
  tools: [],
  renderError: plainResult,
};
