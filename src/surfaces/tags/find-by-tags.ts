import * as z from 'zod';
import { type TaggedNote, taggedNotes } from '../../notes/ops/tag-index.ts';
import { isTrashed } from '../../notes/ops/trash.ts';
import type { NoteEntry } from '../../notes/searcher.ts';
import { parseTagExpression } from '../../notes/tag-expression.ts';
import { tagKey } from '../../notes/tags.ts';
import { forEachInSlices } from '../../shared/async/time-slices.ts';
import { continuation, folder, isBelow, limit, listPage } from '../shared/list-page.ts';
import { defineTool } from '../shared/note-set.ts';
import { cursor, warning, withWarnings } from '../shared/parameters.ts';

export const findByTags = defineTool({
  name: 'find_by_tags',
  title: 'Find notes by tags',
  description:
    'Notes whose tags meet an expression of tags with AND, OR, NOT and parentheses. A tag also means those nested below it: project means project/home too. list_tags shows which tags there are; to find words use a search. Example: {"expression":"project AND NOT (done OR archive)"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      expression: z.string().min(1, 'must not be empty').max(1000).describe('E.g. a AND NOT b'),
      folder: folder(),
      sort: z.enum(['path', 'modified']).default('path').describe('modified: the latest first'),
      limit: limit(50),
      cursor: cursor(),
    }),
  output: () =>
    z.object({
      total: z.number(),
      notes: z.array(z.object({ path: z.string(), title: z.string(), tags: z.array(z.string()) })),
      ...continuation(),
      warning: warning(),
    }),
  async run({ expression, folder: given, sort, ...page }, call) {
    const warned = withWarnings(call);
    const condition = parseTagExpression(expression);
    const isWanted = isBelow(given);
    const all = await call.backend.searcher.notes(warned.options);
    const tagged = new Map<string, TaggedNote>();
    await forEachInSlices(await taggedNotes(all), (note) => void tagged.set(note.path, note), call.signal);
    const isUntaggedMeant = condition([]);
    const found: NoteEntry[] = [];
    const look = (note: NoteEntry) => {
      const own = tagged.get(note.path);
      const isMeant = own ? condition(own.keys) : isUntaggedMeant && !isTrashed(note.path);
      if (isMeant && isWanted(note.path)) found.push(note);
    };
    await forEachInSlices(all, look, call.signal);
    if (sort === 'modified') found.sort((a, b) => b.lastModified - a.lastModified);
    const { shown, more } = listPage(found, {
      ...page,
      tool: 'find_by_tags',
      entries: 'Notes',
      keyOf: ({ path }) => path,
    });
    const notes = shown.map(({ path, title }) => {
      return { path, title, tags: distinct(tagged.get(path)?.tags ?? []) };
    });
    return { value: { total: found.length, notes, ...warned.warning(), ...more } };
  },
});

function distinct(tags: readonly string[]): string[] {
  return [...new Map(tags.map((tag) => [tagKey(tag), tag])).values()];
}
