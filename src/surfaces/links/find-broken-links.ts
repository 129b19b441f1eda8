import * as z from 'zod';
import { brokenLinks, orphans } from '../../notes/ops/link-graph.ts';
import { createNearestNote, type NearestNote } from '../../notes/ops/nearest-note.ts';
import type { NoteEntry } from '../../notes/searcher.ts';
import { continuation, folder, isBelow, limit, listPage } from '../shared/list-page.ts';
import { defineTool } from '../shared/note-set.ts';
import { cursor, warning } from '../shared/parameters.ts';
import { withLinkWarnings } from './link-warnings.ts';

/** The names of a notebook are gathered once for each state of its notes. */
const gathered = new WeakMap<readonly NoteEntry[], NearestNote>();

export const findBrokenLinks = defineTool({
  name: 'find_broken_links',
  title: 'Find broken links',
  description:
    'Links to notes that do not exist, with their line and the existing note whose name, title or alias is nearest, if one is near. Links to images and other files are not looked at. Check `nearest` before you repair a link. Example: {"folder":"projects"}',
  effect: 'read',
  input: () => z.strictObject({ folder: folder(), limit: limit(50), cursor: cursor() }),
  output: () =>
    z.object({
      total: z.number(),
      broken: z.array(
        z.object({ path: z.string(), line: z.number(), link: z.string(), nearest: z.string().optional() }),
      ),
      ...continuation(),
      warning: warning(),
    }),
  async run({ folder: given, ...page }, call) {
    const { searcher } = call.backend;
    const warned = withLinkWarnings(call);
    const links = await brokenLinks(searcher, isBelow(given), warned.options);
    const { shown, more } = listPage(links, {
      ...page,
      tool: 'find_broken_links',
      entries: 'Links',
      keyOf: ({ from, line, target }) => JSON.stringify([from, line, target]),
    });
    const nearest = shown.length === 0 ? undefined : nearestIn(await searcher.notes());
    return {
      value: {
        total: links.length,
        broken: shown.map(({ from, line, target }) => ({
          path: from,
          line,
          link: target,
          nearest: nearest?.(target, from),
        })),
        ...warned.warning(),
        ...more,
      },
    };
  },
});

function nearestIn(notes: readonly NoteEntry[]): NearestNote {
  const known = gathered.get(notes) ?? createNearestNote(notes);
  gathered.set(notes, known);
  return known;
}

export const findOrphans = defineTool({
  name: 'find_orphans',
  title: 'Find orphans',
  description:
    'Notes that no other note links to, in path order, each with how many links lead from it. isolated: only those without links in either direction. Example: {"folder":"inbox","isolated":true}',
  effect: 'read',
  input: () =>
    z.strictObject({
      folder: folder(),
      isolated: z.boolean().default(false).describe('Only notes without any link'),
      limit: limit(50),
      cursor: cursor(),
    }),
  output: () =>
    z.object({
      total: z.number(),
      orphans: z.array(z.object({ path: z.string(), outgoing: z.number() })),
      ...continuation(),
      warning: warning(),
    }),
  async run({ folder: given, isolated, ...page }, call) {
    const warned = withLinkWarnings(call);
    const all = await orphans(call.backend.searcher, isBelow(given), warned.options);
    const wanted = isolated ? all.filter(({ outgoing }) => outgoing === 0) : all;
    const { shown, more } = listPage(wanted, {
      ...page,
      tool: 'find_orphans',
      entries: 'Notes',
      keyOf: (orphan) => orphan.path,
    });
    return { value: { total: wanted.length, orphans: shown, ...warned.warning(), ...more } };
  },
});
