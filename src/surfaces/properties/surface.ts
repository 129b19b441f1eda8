/** The tools of the set `properties`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';
import { queryNotes } from './query-notes.ts';
import { readBase } from './read-base.ts';

export const propertiesSurface: Surface<NoteSetBackend> = {
  id: 'properties',
  instructions: 'query_notes finds notes by their frontmatter, read_base answers the views of a .base file.',
  tools: [queryNotes, readBase],
  renderError: plainResult,
};
