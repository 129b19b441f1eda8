/** The tools of the set `chatgpt`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';

export const chatgptSurface: Surface<NoteSetBackend> = {
  id: 'chatgpt',
  instructions: "search and fetch are for ChatGPT's connectors.",
  tools: [],
  renderError: plainResult,
};
