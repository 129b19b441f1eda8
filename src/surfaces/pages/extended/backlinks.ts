import * as z from 'zod';
import { backlinks as find } from '../../../notes/ops/backlinks.ts';
import { isTrashed } from '../../../notes/ops/trash.ts';
import { pageNameOf, parsePagePath } from '../../../notes/page-path.ts';
import { withWarnings } from '../../shared/warnings.ts';
import { defineTool } from '../backend.ts';
import { onPages } from '../page-errors.ts';
import { limit, page } from '../parameters.ts';

const USUAL_LIMIT = 50;

export const backlinks = defineTool({
  name: 'backlinks',
  title: 'Backlinks',
  description:
    'List the pages that link to a page, by wikilink, embed or markdown link, with the line of each link. Links in code do not count. Example: {"page":"projects/plan"}',
  effect: 'read',
  input: () => z.strictObject({ page: page(), limit: limit(USUAL_LIMIT) }),
  async run({ page: raw, limit: most = USUAL_LIMIT }, call) {
    const { notes, searcher } = call.backend;
    const path = parsePagePath(raw);
    await onPages(notes, [path], () => (notes.stat ?? notes.read)(path));
    const warned = withWarnings(call);
    const { incoming } = await find(searcher, path, warned.asking);
    const links = incoming.filter(({ from }) => !isTrashed(from));
    const shown = links
      .slice(0, most)
      .map(({ from, line, target }) => ({ page: pageNameOf(from), path: from, line, link: target }));
    return {
      value: {
        path,
        count: shown.length,
        backlinks: shown,
        total: links.length > shown.length ? links.length : undefined,
        ...warned.warning(),
      },
    };
  },
});
