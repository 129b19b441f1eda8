/** The pair of tools that ChatGPT's connectors and deep research ask for, by these names and fields. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';
import { fetchNote } from './fetch.ts';
import { search } from './search.ts';

export const chatgptSurface: Surface<NoteSetBackend> = {
  id: 'chatgpt',
  instructions: 'search finds notes, fetch reads one by its id.',
  tools: [search, fetchNote],
  renderError: plainResult,
};
