import * as z from 'zod';
import { parseFolderPath } from '../../notes/path.ts';
import type { SearchHit } from '../../notes/searcher.ts';
import { shortTitle } from '../../notes/text/characters.ts';
import { AppError } from '../../shared/errors.ts';
import { opening } from '../shared/binary.ts';
import { hitLimit, query, withWarnings } from '../shared/parameters.ts';
import { defineTool, offset, prettyPrint } from './backend.ts';

/** Characters of the paths, titles and excerpts of ten hits: as JSON, their answer stays under 2.5 KB. */
const ROOM = 1_720;

export const searchNotes = defineTool({
  name: 'search_notes',
  title: 'Search notes',
  description:
    'Find notes by words in their text, frontmatter or name, best first; without a query, those a filter lets through, newest first. Each hit has path p, title t, excerpt ex, match count mc and line ln. Then read_note. Example: {"query":"authentication","limit":10}',
  effect: 'read',
  input: () =>
    z.strictObject({
      query: query().optional(),
      limit: hitLimit(10),
      mode: z
        .enum(['auto', 'exact', 'meaning'])
        .default('auto')
        .describe('exact: words as written; meaning: also in other words'),
      searchContent: z.boolean().default(true).describe('Search text and names'),
      searchFrontmatter: z.boolean().default(true).describe('Search frontmatter'),
      caseSensitive: z.boolean().default(false).describe('Match case and accents'),
      folder: z.string().max(4096).optional().describe('Only below this folder'),
      tag: z.string().min(1, 'must not be empty').max(200).optional().describe('Only with this tag'),
      properties: z
        .record(z.string().max(200), z.union([z.string().max(1000), z.number(), z.boolean()]))
        .optional()
        .describe('Frontmatter, e.g. {"status":"open"}'),
      regex: z.string().min(1, 'must not be empty').max(500).optional().describe('Text must match it too'),
      modifiedAfter: date().describe('E.g. "2026-01-31"'),
      modifiedBefore: date().describe('Other end'),
      sort: z.enum(['relevance', 'modified', 'name']).default('relevance').describe('Order of hits'),
      offset: offset('Hits to skip'),
      prettyPrint: prettyPrint(),
    }),
  output: () =>
    z.array(
      z.object({
        p: z.string(),
        t: z.string(),
        ex: z.string(),
        mc: z.number(),
        ln: z.number().optional(),
        url: z.string().optional(),
      }),
    ),
  async run({ limit, offset: skip, prettyPrint: isPretty, ...wanted }, call) {
    if (!wanted.searchContent && !wanted.searchFrontmatter) {
      throw new AppError(
        'invalid_input',
        'searchContent and searchFrontmatter are both false: nothing to search',
        { hint: 'Set at least one of them to true.' },
      );
    }
    const filter = {
      under: wanted.folder === undefined ? undefined : parseFolderPath(wanted.folder),
      tags: wanted.tag === undefined ? undefined : [wanted.tag],
      fields: wanted.properties,
      pattern: wanted.regex,
      modifiedAfter: timeOf(wanted.modifiedAfter),
      modifiedBefore: timeOf(wanted.modifiedBefore),
    };
    const isFiltered = Object.values(filter).some((condition) => condition !== undefined);
    const words = isFiltered && wanted.query?.trim() === '*' ? '' : (wanted.query ?? '');
    if (words === '' && !isFiltered)
      throw new AppError('invalid_input', 'query: missing, and no filter is given', {
        hint: 'Give words to look for, or a filter: tag, folder, properties, regex, modifiedAfter or modifiedBefore.',
      });
    const warned = withWarnings(call);
    const { hits, total } = await call.backend.searcher.search(
      {
        query: words,
        mode: wanted.mode,
        inText: wanted.searchContent,
        inFrontmatter: wanted.searchFrontmatter,
        caseSensitive: wanted.caseSensitive,
        filter,
        sort: wanted.sort,
        offset: skip,
        limit,
        withHeadings: true,
        room: ROOM * Math.max(1, limit / 10),
      },
      warned.options,
    );
    const { url, links } = opening(call.backend);
    const results = hits.map((hit) => {
      const { path, title, count, line } = hit;
      return {
        p: path,
        t: shortTitle(title, hits.length),
        ex: excerptOf(hit, hits.length),
        mc: count,
        ln: line,
        url: url(path),
      };
    });
    const next = skip + limit < total ? skip + limit : undefined;
    const said = Object.values(warned.warning());
    if (next !== undefined)
      said.unshift(
        `${total} notes match; hits ${skip + 1} to ${skip + results.length} shown. Call again with offset=${next} for more.`,
      );
    return {
      text: JSON.stringify(results, null, isPretty ? 2 : undefined),
      blocks: [...said.map((text) => ({ type: 'text', text }) as const), ...links(hits)],
    };
  },
});

/** Under its heading, where the search has named one that the title and the excerpt do not. */
function excerptOf({ title, heading, excerpt }: SearchHit, hits: number): string {
  return heading === undefined || heading === title || excerpt.includes(heading)
    ? excerpt
    : `# ${shortTitle(heading, hits)} ${excerpt}`;
}

function timeOf(date: string | undefined): number | undefined {
  return date === undefined ? undefined : Date.parse(date);
}

/** A date or a date with time. */
function date() {
  return z
    .string()
    .max(40)
    .refine(
      (text) => /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)),
      'must be a date such as 2026-01-31',
    )
    .optional();
}
