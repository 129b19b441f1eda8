/** The tools of the set `links`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';
import { exploreLinks } from './explore-links.ts';
import { findBrokenLinks, findOrphans } from './find-broken-links.ts';
import { getLinks } from './get-links.ts';

export const linksSurface: Surface<NoteSetBackend> = {
  id: 'links',
  instructions: 'get_links shows the links to and from a note, explore_links what is near it.',
  tools: [getLinks, findBrokenLinks, findOrphans, exploreLinks],
  renderError: plainResult,
};
