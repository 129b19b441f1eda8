/** The tools of the set `sections`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';

export const sectionsSurface: Surface<NoteSetBackend> = {
  id: 'sections',
  instructions: 'get_outline shows the headings of a note.',
  tools: [],
  renderError: plainResult,
};
