/** The tools of the set `links`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';

export const linksSurface: Surface<NoteSetBackend> = {
  id: 'links',
  instructions: 'get_links shows the links to and from a note.',
  tools: [],
  renderError: plainResult,
};
