import * as z from 'zod';
import { findNote } from '../../notes/ops/find-note.ts';
import { contextOf, type DirectedLink, linksOf, meansNote } from '../../notes/ops/link-graph.ts';
import { continuation, limit, listPage } from '../shared/list-page.ts';
import { defineTool } from '../shared/note-set.ts';
import { cursor, path, warning } from '../shared/parameters.ts';
import { withLinkWarnings } from './link-warnings.ts';

const link = () =>
  z.object({
    path: z.string().optional(),
    link: z.string(),
    line: z.number(),
    text: z.string().optional(),
    broken: z.boolean().optional(),
  });

export const getLinks = defineTool({
  name: 'get_links',
  title: 'Get links',
  description:
    'The links to a note (backlinks) and from it (outgoing), each with the other note, its line and the text of that line. Wikilinks, embeds and markdown links count; links in code do not. For notes further away use explore_links. Example: {"path":"projects/plan.md","direction":"backlinks"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      path: path('Path, title or alias of a note'),
      direction: z.enum(['both', 'backlinks', 'outgoing']).default('both').describe('Which links'),
      limit: limit(30),
      cursor: cursor(),
    }),
  output: () =>
    z.object({
      path: z.string(),
      total_backlinks: z.number(),
      total_outgoing: z.number(),
      backlinks: z.array(link()),
      outgoing: z.array(link()),
      ...continuation(),
      warning: warning(),
    }),
  async run({ path: given, direction, ...page }, call) {
    const { backend } = call;
    const warned = withLinkWarnings(call);
    const of = await findNote(backend, given, warned.options);
    const all = await linksOf(backend.searcher, of, warned.options);
    const isWanted = (one: DirectedLink) =>
      direction === 'both' || (direction === 'backlinks') === (one.direction === 'incoming');
    const { shown, more } = listPage(all.filter(isWanted), {
      ...page,
      tool: 'get_links',
      entries: 'Links',
      keyOf: (one) => JSON.stringify([one.direction, one.from, one.line, one.ordinal]),
    });
    const texts = await contextOf(backend, shown, warned.options);
    const views = shown.map((one, at) => ({ one, view: viewOf(one, texts[at]) }));
    const viewsOf = (wanted: DirectedLink['direction']) =>
      views.flatMap(({ one, view }) => (one.direction === wanted ? [view] : []));
    const incoming = all.filter((one) => one.direction === 'incoming').length;
    return {
      value: {
        path: of,
        total_backlinks: incoming,
        total_outgoing: all.length - incoming,
        backlinks: viewsOf('incoming'),
        outgoing: viewsOf('outgoing'),
        ...warned.warning(),
        ...more,
      },
    };
  },
});

function viewOf({ direction, from, to, target, line }: DirectedLink, text: string | undefined) {
  const other = direction === 'incoming' ? from : to;
  const broken = other === undefined && meansNote(target) ? true : undefined;
  return { path: other, link: target, line, text, broken };
}
