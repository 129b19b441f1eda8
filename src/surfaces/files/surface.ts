/** The tools of the set `files`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';

export const filesSurface: Surface<NoteSetBackend> = {
  id: 'files',
  instructions: 'list_files shows attachments.',
  tools: [],
  renderError: plainResult,
};
