/** `vault_search`: hits with a snippet around the match, in bold, never cut within a grapheme. */
import * as z from 'zod';
import type { SearchHit } from '../../notes/searcher.ts';
import { graphemes } from '../../notes/text/characters.ts';
import { fold } from '../../notes/text/fold.ts';
import { opening } from '../shared/binary.ts';
import { hitLimit, query, warning, withWarnings } from '../shared/parameters.ts';
import { defineTool } from './backend.ts';

interface Match {
  readonly start: number;
  readonly end: number;
}

const AROUND = 50;
const CUT = '...';
const FOLDING = { ignoreCase: true, ignoreAccents: true };

/** `text` may begin or end with an ellipsis of its own. */
function snippetOf(text: string, match: Match | undefined): string {
  if (!match || match.start >= match.end) return text;
  const bounds = [...graphemes().segment(text)].map(({ index }) => index).concat(text.length);
  const atOrBefore = (offset: number) => bounds.findLast((bound) => bound <= offset) ?? 0;
  const atOrAfter = (offset: number) => bounds.find((bound) => bound >= offset) ?? text.length;
  const start = atOrBefore(match.start);
  const end = atOrAfter(match.end);
  const from = atOrAfter(start - AROUND);
  const to = atOrBefore(end + AROUND);
  const isWholeBefore = from <= (text.startsWith(CUT) ? CUT.length : 0);
  const isWholeAfter = to >= text.length - (text.endsWith(CUT) ? CUT.length : 0);
  const before = isWholeBefore ? text.slice(0, start) : CUT + text.slice(from, start).trimStart();
  const after = isWholeAfter ? text.slice(end) : text.slice(end, to).trimEnd() + CUT;
  return `${before}**${text.slice(start, end)}**${after}`;
}

/** The position of the whole query in the text, or else of the first query word found. */
function findQuery(text: string, query: string): Match | undefined {
  const folded = fold(text, FOLDING);
  const needle = needlesOf(query).find((word) => folded.text.includes(word));
  if (needle === undefined) return undefined;
  const at = folded.text.indexOf(needle);
  return { start: folded.originalOffset(at), end: folded.originalOffset(at + needle.length) };
}

/** Whether the text contains the whole query. */
function holdsQuery(text: string, query: string): boolean {
  const folded = fold(text, FOLDING).text;
  return needlesOf(query)
    .slice(0, 2)
    .some((whole) => folded.includes(whole));
}

/** The literal query without quotes and `#`, then its words. */
function needlesOf(query: string): string[] {
  const whole = fold(query.trim(), FOLDING).text;
  const bare = whole
    .replace(/["“”„]/g, ' ')
    .trim()
    .replace(/^#(?=\S)/, '');
  const words = bare.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '');
  return [whole, bare === '' ? whole : bare, ...words];
}

const ORDER = ['filename', 'tag', 'content'] as const;

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
          url: z.string().optional(),
        }),
      ),
      warning: warning(),
    }),
  async run(input, call) {
    const request = { query: input.query, limit: input.max_results, sort: 'kind' } as const;
    const warned = withWarnings(call);
    const { hits, total } = await call.backend.searcher.search(request, warned.options);
    const { url } = opening(call.backend);
    const results = hits.map((hit) => ({ ...resultOf(hit, input.query), url: url(hit.path) }));
    results.sort((a, b) => ORDER.indexOf(a.match_type) - ORDER.indexOf(b.match_type));
    return { value: { query: input.query, total_matches: total, results, ...warned.warning() } };
  },
});

/** A path that contains the query is a match by name, whatever else matched. */
function resultOf({ path, field, line = 1, excerpt, match }: SearchHit, wanted: string) {
  if (field === 'path' || holdsQuery(path, wanted))
    return {
      path,
      match_type: 'filename',
      snippet: snippetOf(path, findQuery(path, wanted)),
      line: 1,
    } as const;
  const snippet = snippetOf(excerpt, match ?? findQuery(excerpt, wanted));
  return { path, match_type: field === 'tag' ? 'tag' : 'content', snippet, line } as const;
}
