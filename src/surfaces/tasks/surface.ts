/** The tools of the set `tasks`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';

export const tasksSurface: Surface<NoteSetBackend> = {
  id: 'tasks',
  instructions: 'list_tasks finds to-dos in all notes.',
  tools: [],
  renderError: plainResult,
};
