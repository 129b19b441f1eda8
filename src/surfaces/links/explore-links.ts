import * as z from 'zod';
import { findNote } from '../../notes/ops/find-note.ts';
import { neighbourhood, shortestPath } from '../../notes/ops/link-graph.ts';
import type { NotePath } from '../../notes/path.ts';
import type { NoteLink } from '../../notes/searcher.ts';
import { continuation, limit, listPage } from '../shared/list-page.ts';
import { defineTool } from '../shared/note-set.ts';
import { cursor, path, warning } from '../shared/parameters.ts';
import { withLinkWarnings } from './link-warnings.ts';

const MOST_LINKS = 4;

export const exploreLinks = defineTool({
  name: 'explore_links',
  title: 'Explore links',
  description:
    'The notes within depth links of a note, the nearest first, whichever way the links point: each with its distance, the note through which it was reached, and whether that one links to it (outgoing) or is linked from it (incoming). With `to`: the shortest way between two notes instead, link by link. For the lines use get_links. Example: {"path":"projects/plan.md","depth":2}',
  effect: 'read',
  input: () =>
    z.strictObject({
      path: path('Path, title or alias of a note'),
      to: path('Another note: show the shortest way to it').optional(),
      depth: z
        .number()
        .int('must be a whole number')
        .min(1, 'must be at least 1')
        .max(MOST_LINKS, `at most ${MOST_LINKS}`)
        .default(2)
        .describe('How many links away; not for `to`'),
      limit: limit(50),
      cursor: cursor(),
    }),
  output: () =>
    z.object({
      path: z.string(),
      total: z.number().optional(),
      notes: z.array(z.unknown()).optional(),
      to: z.string().optional(),
      connected: z.boolean().optional(),
      way: z.array(z.string()).optional(),
      links: z.array(z.unknown()).optional(),
      ...continuation(),
      warning: warning(),
    }),
  async run({ path: given, to: other, depth, ...page }, call) {
    const { searcher } = call.backend;
    const warned = withLinkWarnings(call);
    const from = await findNote(call.backend, given, warned.options);
    if (other !== undefined) {
      const to = await findNote(call.backend, other, warned.options);
      const links = await shortestPath(searcher, from, to, warned.options);
      return { value: { path: from, to, ...wayOf(from, links), ...warned.warning() } };
    }
    const notes = await neighbourhood(searcher, from, depth, warned.options);
    const { shown, more } = listPage(notes, {
      ...page,
      tool: 'explore_links',
      entries: 'Notes',
      keyOf: (note) => note.path,
    });
    return { value: { path: from, total: notes.length, notes: shown, ...warned.warning(), ...more } };
  },
});

function wayOf(from: NotePath, links: readonly NoteLink[] | undefined) {
  if (!links) return { connected: false };
  const way = [from];
  for (const { from: source, to } of links) way.push(source === way.at(-1) ? to! : source);
  return {
    connected: true,
    way,
    links: links.map(({ from: source, to, line, target }) => ({ path: source, to, line, link: target })),
  };
}
