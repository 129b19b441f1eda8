import * as z from 'zod';
import { taggedNotes } from '../../notes/ops/tag-index.ts';
import { isTrashed } from '../../notes/ops/trash.ts';
import { parseTagExpression } from '../../notes/tag-expression.ts';
import { tagKey } from '../../notes/tags.ts';
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
    // What holds without any tag is asked of notes without tags, too.
    const untagged = condition([])
      ? all.filter(({ path, frontmatterTags, inlineTags }) => {
          return frontmatterTags.length + inlineTags.length === 0 && !isTrashed(path);
        })
      : [];
    const tagged = taggedNotes(all).filter(({ keys }) => condition(keys));
    const found = [...tagged, ...untagged.map((note) => ({ ...note, tags: [] as readonly string[] }))].filter(
      ({ path }) => isWanted(path),
    );
    found.sort(
      (a, b) => (sort === 'modified' ? b.lastModified - a.lastModified : 0) || (a.path < b.path ? -1 : 1),
    );
    const { shown, more } = listPage(
      found.map(({ path, title, tags }) => ({ path, title, tags: distinct(tags) })),
      { ...page, tool: 'find_by_tags', entries: 'Notes', keyOf: ({ path }) => path },
    );
    return { value: { total: found.length, notes: shown, ...warned.warning(), ...more } };
  },
});

function distinct(tags: readonly string[]): string[] {
  return [...new Map(tags.map((tag) => [tagKey(tag), tag])).values()];
}
