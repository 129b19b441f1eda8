/** The tools of the set `tags`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';
import { findByTags } from './find-by-tags.ts';
import { listTags } from './list-tags.ts';
import { renameTag } from './rename-tag.ts';

export const tagsSurface: Surface<NoteSetBackend> = {
  id: 'tags',
  instructions: 'list_tags shows the tags of all notes, find_by_tags the notes of a combination of them.',
  tools: [listTags, findByTags, renameTag],
  renderError: plainResult,
};
