import * as z from 'zod';
import { listTrash as list, type TrashedNote } from '../../../notes/ops/trash.ts';
import { pageNameOf } from '../../../notes/page-path.ts';
import { blurredTime } from '../access.ts';
import { defineTool } from '../backend.ts';
import { limit } from '../parameters.ts';

const USUAL_LIMIT = 50;

export const listTrash = defineTool({
  name: 'list_trash',
  title: 'List trash',
  description:
    'List soft-deleted pages, the latest first: where each is now, and what it was called. Bring one back with restore_page. Example: {"limit":20}',
  effect: 'read',
  input: () => z.strictObject({ limit: limit(USUAL_LIMIT) }),
  async run({ limit: most = USUAL_LIMIT }, { backend, signal }) {
    const all = await list(backend.notes, signal);
    const pages = all.slice(0, most).map(entryOf);
    return {
      value: { count: pages.length, pages, total: all.length > pages.length ? all.length : undefined },
    };
  },
});

function entryOf({ path, original, month, lastModified, size }: TrashedNote) {
  return {
    page: pageNameOf(path),
    path,
    original: pageNameOf(original),
    deleted: month,
    size,
    lastModified: blurredTime(lastModified),
  };
}
