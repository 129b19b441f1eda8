/** The tools of the set `daily`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';
import { appendToPeriodicNote, createPeriodicNote } from './change-periodic-note.ts';
import { getPeriodicNote } from './get-periodic-note.ts';

export const dailySurface: Surface<NoteSetBackend> = {
  id: 'daily',
  instructions: "get_periodic_note finds today's note, append_to_periodic_note adds to it.",
  tools: [getPeriodicNote, appendToPeriodicNote, createPeriodicNote],
  renderError: plainResult,
};
