/** The tools of the set `tags`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';

export const tagsSurface: Surface<NoteSetBackend> = {
  id: 'tags',
  instructions: 'list_tags shows the tags of all notes.',
  tools: [],
  renderError: plainResult,
};
