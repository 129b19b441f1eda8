import * as z from 'zod';
import { isTrashed } from '../../../notes/ops/trash.ts';
import { isPagePath, parseFilePath } from '../../../notes/page-path.ts';
import type { NoteMeta } from '../../../notes/store.ts';
import { decodeCursor, encodeCursor, PAGE_CHARACTERS, pageEnd } from '../../shared/paging.ts';
import { blurredTime } from '../access.ts';
import { defineTool } from '../backend.ts';
import { cursor } from '../parameters.ts';

const LIST_CHARACTERS = PAGE_CHARACTERS - 5_000;

export const listAttachments = defineTool({
  name: 'list_attachments',
  title: 'List attachments',
  description:
    'List the files of the space that are not pages (images, PDFs and others) with size in bytes and type, sorted by path. Read one with read_attachment. Example: {"folder":"projects"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      folder: z.string().max(4096).optional().describe('Only below this folder'),
      cursor: cursor(),
    }),
  async run({ folder, cursor: after }, { backend, signal }) {
    const under =
      folder === undefined || /^\/?$/.test(folder) ? '' : `${parseFilePath(folder.replace(/\/$/, ''))}/`;
    const last = after === undefined ? '' : decodeCursor(after);
    const metas = (await backend.files.list({ signal })).filter(
      ({ path }) => !isPagePath(path) && !isTrashed(path) && path.startsWith(under),
    );
    const rest = metas.filter(({ path }) => path > last);
    const end = pageEnd(rest, 0, (meta) => JSON.stringify(entryOf(meta)).length + 1, LIST_CHARACTERS);
    const value = { count: metas.length, attachments: rest.slice(0, end).map(entryOf) };
    const final = rest[end - 1];
    if (end >= rest.length || !final) return { value };
    return { value: { ...value, next_cursor: encodeCursor(final.path) } };
  },
});

function entryOf({ path, size, contentType, lastModified }: NoteMeta) {
  return { path, size, contentType, lastModified: blurredTime(lastModified) };
}
