import * as z from 'zod';
import type { SearchField, SearchHit } from '../../notes/searcher.ts';
import { hitLimit, query } from '../shared/parameters.ts';
import { warning, withWarnings } from '../shared/warnings.ts';
import { defineTool } from './backend.ts';
import { findQuery, holdsQuery, snippetOf } from './snippet.ts';

const ORDER = ['filename', 'tag', 'content'] as const;
type MatchType = (typeof ORDER)[number];

interface Result {
  readonly path: string;
  readonly match_type: MatchType;
  readonly snippet: string;
  readonly line: number;
}

export const vaultSearch = defineTool({
  name: 'vault_search',
  title: 'Search the vault',
  description:
    'Find files by name, frontmatter tag or text, whatever the case; matches in names come first, then in tags, then in text. Each file comes once, with the match in **bold** and its line; read on with vault_read and that line as offset. Example: {"query":"heating controller","max_results":10}',
  effect: 'read',
  input: () => z.strictObject({ query: query(), max_results: hitLimit(20) }),
  output: () =>
    z.object({
      query: z.string(),
      total_matches: z.number(),
      results: z.array(
        z.object({
          path: z.string(),
          match_type: z.enum(ORDER),
          snippet: z.string(),
          line: z.number(),
        }),
      ),
      warning: warning(),
    }),
  async run(input, call) {
    const request = { query: input.query, limit: input.max_results, sort: 'kind' } as const;
    const warned = withWarnings(call);
    const { hits, total } = await call.backend.searcher.search(request, warned.asking);
    const results = hits.map((hit) => resultOf(hit, input.query));
    results.sort((a, b) => ORDER.indexOf(a.match_type) - ORDER.indexOf(b.match_type));
    return { value: { query: input.query, total_matches: total, results, ...warned.warning() } };
  },
});

/** A path that holds the query is a match by name, whatever else matches. */
function resultOf({ path, field, line = 1, excerpt, match }: SearchHit, wanted: string): Result {
  return field === 'path' || holdsQuery(path, wanted)
    ? { path, match_type: 'filename', snippet: snippetOf(path, findQuery(path, wanted)), line: 1 }
    : {
        path,
        match_type: matchTypeOf(field),
        snippet: snippetOf(excerpt, match ?? findQuery(excerpt, wanted)),
        line,
      };
}

function matchTypeOf(field: SearchField): MatchType {
  switch (field) {
    case 'path':
      return 'filename';
    case 'tag':
      return 'tag';
    case 'title':
    case 'alias':
    case 'heading':
    case 'frontmatter':
    case 'text':
      return 'content';
  }
}
