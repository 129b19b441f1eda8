import * as z from 'zod';
import { isTrashed } from '../../notes/ops/trash.ts';
import { isPagePath, pageNameOf } from '../../notes/page-path.ts';
import type { NoteMeta } from '../../notes/store.ts';
import { PAGE_CHARACTERS, pageEnd } from '../shared/paging.ts';
import { blurredTime, conflictCopyOf } from './access.ts';
import { defineTool } from './backend.ts';
import { cursor, decodePlace, encodePlace, includeTrash, indexAfter } from './parameters.ts';

/** What the entries may take; the rest of 100,000 characters is for what stands around them. */
const LIST_CHARACTERS = PAGE_CHARACTERS - 5_000;

export const listPages = defineTool({
  name: 'list_pages',
  title: 'List pages',
  description:
    'List every page of the space, last changed first, as {page, path, lastModified}. lastModified is to the second, for orientation; it is no version for write_page. A long list comes in parts: call again with next_cursor. To find pages by what they say use search_pages. Example: {"include_trash":false}',
  effect: 'read',
  input: () => z.strictObject({ include_trash: includeTrash(), cursor: cursor() }),
  async run({ include_trash: withTrash = false, cursor: after }, { backend, signal }) {
    const metas = (await backend.notes.list({ signal }))
      .filter(({ path }) => isPagePath(path) && (withTrash || !isTrashed(path)))
      .sort((a, b) => b.lastModified - a.lastModified || (a.path < b.path ? -1 : 1));
    const from = after === undefined ? 0 : indexAfter(metas, decodePlace(after));
    const end = pageEnd(metas, from, (meta) => JSON.stringify(entryOf(meta)).length + 1, LIST_CHARACTERS);
    const value = { count: metas.length, pages: metas.slice(from, end).map(entryOf) };
    const last = metas[end - 1];
    if (end >= metas.length || !last) return { value };
    const note = `Pages ${from + 1} to ${end} of ${metas.length}; call list_pages again with cursor=next_cursor for more.`;
    return { value: { ...value, next_cursor: encodePlace(last), note } };
  },
});

function entryOf({ path, lastModified }: NoteMeta) {
  const copyOf = conflictCopyOf(path);
  return {
    page: pageNameOf(path),
    path,
    lastModified: blurredTime(lastModified),
    conflictCopyOf: copyOf,
  };
}
