import * as z from 'zod';
import { TRASH } from '../../notes/ops/trash.ts';
import { pageNameOf } from '../../notes/page-path.ts';
import type { SearchHit } from '../../notes/searcher.ts';
import { query } from '../shared/parameters.ts';
import { withWarnings } from '../shared/warnings.ts';
import { blurredTime } from './access.ts';
import { defineTool } from './backend.ts';
import { includeTrash, limit } from './parameters.ts';

const USUAL_LIMIT = 20;

export const searchPages = defineTool({
  name: 'search_pages',
  title: 'Search pages',
  description:
    'Find pages by words in their name, aliases, tags, headings or text; best first. Each hit has a snippet, the number of matches, a score, and the line and heading of the match. Then read_page; a hit\'s lastModified is no version for write_page. Quote "a phrase" to have it exactly. Example: {"query":"heating controller","limit":10}',
  effect: 'read',
  input: () => z.strictObject({ query: query(), limit: limit(USUAL_LIMIT), include_trash: includeTrash() }),
  async run({ query: wanted, limit: most = USUAL_LIMIT, include_trash: withTrash = false }, call) {
    const warned = withWarnings(call);
    const { hits, total } = await call.backend.searcher.search(
      {
        query: wanted,
        limit: most,
        withHeadings: true,
        filter: !withTrash ? { notUnder: TRASH } : undefined,
      },
      warned.asking,
    );
    const value = { query: wanted, count: hits.length, hits: hits.map(hitOf), ...warned.warning() };
    return { value: total > hits.length ? { ...value, total } : value };
  },
});

function hitOf({ path, lastModified, excerpt, count, score, line, heading }: SearchHit) {
  return {
    page: pageNameOf(path),
    path,
    lastModified: blurredTime(lastModified),
    snippet: excerpt,
    matches: count,
    score: Math.round(score * 100) / 100,
    line,
    heading,
  };
}
