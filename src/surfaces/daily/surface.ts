/** The tools of the set `daily`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';

export const dailySurface: Surface<NoteSetBackend> = {
  id: 'daily',
  instructions: 'get_periodic_note opens the note of a day, week or month.',
  tools: [],
  renderError: plainResult,
};
