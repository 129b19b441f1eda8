import * as z from 'zod';
import { searchNotes as search } from '../../notes/ops/search-notes.ts';
import { AppError } from '../../shared/errors.ts';
import { defineTool } from './backend.ts';
import { offset, prettyPrint } from './parameters.ts';

export const searchNotes = defineTool({
  name: 'search_notes',
  title: 'Search notes',
  description:
    'Find notes by words in their text, frontmatter or name; best first. Each hit has path p, title t, excerpt ex, match count mc and line ln. Then read_note. To browse use list_directory. Example: {"query":"authentication","limit":10}',
  effect: 'read',
  input: () =>
    z.strictObject({
      query: z
        .string()
        .max(1000, 'longer than 1000 characters')
        .regex(/\S/, 'must not be empty')
        .describe('Words or phrase'),
      limit: z
        .number()
        .int('must be a whole number')
        .min(1, 'must be at least 1')
        .max(100, 'at most 100')
        .default(10)
        .describe('Hits to return'),
      searchContent: z.boolean().default(true).describe('Search text and names'),
      searchFrontmatter: z.boolean().default(true).describe('Search frontmatter'),
      caseSensitive: z.boolean().default(false).describe('Match case and accents exactly'),
      offset: offset('Hits to skip, for the next page'),
      prettyPrint: prettyPrint(),
    }),
  output: () =>
    z.object({
      results: z.array(
        z.object({ p: z.string(), t: z.string(), ex: z.string(), mc: z.number(), ln: z.number().optional() }),
      ),
      total: z.number(),
      next: z.number().optional(),
    }),
  async run({ limit, offset: skip, prettyPrint: _, ...query }, { backend, signal }) {
    if (!query.searchContent && !query.searchFrontmatter) {
      throw new AppError(
        'invalid_input',
        'searchContent and searchFrontmatter are both false: nothing to search',
        { hint: 'Set at least one of them to true.' },
      );
    }
    const { hits, total } = await search(backend.notes, query, { offset: skip, limit }, signal);
    const results = hits.map(({ path: p, title: t, excerpt: ex, matchCount: mc, line: ln }) => ({
      p,
      t,
      ex,
      mc,
      ...(ln !== undefined && { ln }),
    }));
    const next = skip + limit;
    if (next >= total) return { value: { results, total }, text: results };
    const more = `${total} notes match; hits ${skip + 1} to ${skip + results.length} shown. Call again with offset=${next} for more.`;
    return { value: { results, total, next }, text: results, blocks: [{ type: 'text', text: more }] };
  },
});
