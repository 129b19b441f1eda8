/** The tools of the set `sections`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';
import { editSection } from './edit-section.ts';
import { getOutline } from './get-outline.ts';
import { readSection } from './read-section.ts';

export const sectionsSurface: Surface<NoteSetBackend> = {
  id: 'sections',
  instructions: 'For a part of a long note: get_outline, then read_section or edit_section.',
  tools: [getOutline, readSection, editSection],
  renderError: plainResult,
};
