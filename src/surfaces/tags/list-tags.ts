import * as z from 'zod';
import { countTags, type TagCount, taggedNotes } from '../../notes/ops/tag-index.ts';
import { normalizeTag, tagKey } from '../../notes/tags.ts';
import { continuation, folder, isBelow, limit, listPage } from '../shared/list-page.ts';
import { defineTool } from '../shared/note-set.ts';
import { cursor, warning, withWarnings } from '../shared/parameters.ts';

interface TagEntry extends TagCount {
  readonly key: string;
  readonly below?: readonly TagView[];
}

interface TagView extends Omit<TagCount, 'inline'> {
  readonly inline?: number;
  readonly below?: readonly TagView[];
}

export const listTags = defineTool({
  name: 'list_tags',
  title: 'List tags',
  description:
    'All tags with how many notes have them, in frontmatter or as #tag in the text (`inline`: in the text only), the most used first. nested says how a/b counts: separate, also for its parent a (total), or below a (tree). Then find_by_tags. Example: {"prefix":"project","nested":"total"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      prefix: z.string().min(1, 'must not be empty').max(200).optional().describe('How the tag begins'),
      nested: z.enum(['separate', 'total', 'tree']).default('separate').describe('How nested tags count'),
      folder: folder(),
      sort: z.enum(['count', 'name']).default('count').describe('Order'),
      limit: limit(100, 500),
      cursor: cursor(),
    }),
  output: () =>
    z.object({
      total: z.number(),
      tags: z.array(
        z.object({
          tag: z.string(),
          notes: z.number(),
          inline: z.number().optional(),
          below: z.array(z.unknown()).optional(),
        }),
      ),
      ...continuation(),
      warning: warning(),
    }),
  async run({ prefix, nested, folder: given, sort, ...page }, call) {
    const warned = withWarnings(call);
    const notes = await taggedNotes(await call.backend.searcher.notes(warned.options));
    const counts = await countTags(notes, {
      nested: nested !== 'separate',
      isWanted: isBelow(given),
      signal: call.signal,
    });
    const begin = tagKey(normalizeTag(prefix ?? ''));
    const wanted = [...counts].flatMap(([key, count]) => (key.startsWith(begin) ? [{ key, ...count }] : []));
    const ordered = sort === 'name' ? wanted : wanted.toSorted((a, b) => b.notes - a.notes);
    const entries = nested === 'tree' ? treeOf(ordered) : ordered;
    const { shown, more } = listPage(entries, {
      ...page,
      tool: 'list_tags',
      entries: 'Tags',
      keyOf: ({ key }) => key,
    });
    return { value: { total: entries.length, tags: shown.map(viewOf), ...warned.warning(), ...more } };
  },
});

function viewOf({ tag, notes, inline, below }: TagEntry): TagView {
  return { tag, notes, inline: inline === 0 ? undefined : inline, below };
}

/** Each tag with those nested below it; a tag whose parent is not in the list stands at the top. */
function treeOf(entries: readonly TagEntry[]): TagEntry[] {
  const keys = new Set(entries.map(({ key }) => key));
  const children = new Map<string, TagEntry[]>();
  for (const entry of entries) {
    const parent = entry.key.slice(0, Math.max(0, entry.key.lastIndexOf('/')));
    const place = keys.has(parent) ? parent : '';
    const siblings = children.get(place);
    if (siblings) siblings.push(entry);
    else children.set(place, [entry]);
  }
  const grown = (entry: TagEntry): TagEntry => {
    const below = children.get(entry.key)?.map((child) => viewOf(grown(child)));
    return below ? { ...entry, below } : entry;
  };
  return (children.get('') ?? []).map(grown);
}
