import * as z from 'zod';
import { relocate } from '../../../notes/ops/links.ts';
import { findInTrash, listTrash as list, type TrashedNote } from '../../../notes/ops/trash.ts';
import { pageNameOf, parsePagePath } from '../../../notes/page-path.ts';
import { assertNewName, assertWritable, blurredTime } from '../access.ts';
import { defineTool, moveOnce, repeatKey } from '../backend.ts';
import { onPages } from '../page-errors.ts';
import { limit, page, repeated } from '../parameters.ts';

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

export const restorePage = defineTool({
  name: 'restore_page',
  title: 'Restore page',
  description:
    'Bring a soft-deleted page back to where it was, or to another name with to. Name it by its page in list_trash, or by its old name for the latest one. Fails if a page of that name exists. Example: {"page":"projects/old plan"}',
  effect: 'write',
  input: () =>
    z.strictObject({
      page: page('A page of list_trash, or the name a page had'),
      to: page('Another name to restore it under').optional(),
    }),
  async run({ page: raw, to: rawTo }, call) {
    const { backend, signal } = call;
    const wanted = parsePagePath(raw);
    const target = rawTo === undefined ? undefined : parsePagePath(rawTo);
    if (target !== undefined) assertNewName(target);
    const {
      from = wanted,
      to,
      ...result
    } = await moveOnce(backend, {
      key: repeatKey(call, 'restore', wanted, target ?? ''),
      from: wanted,
      async move() {
        const { notes } = backend;
        const { path: found, original } = findInTrash(await list(notes, signal), wanted);
        const destination = target ?? original;
        assertWritable(backend, destination);
        await onPages(notes, [found, destination], () => relocate(notes, found, destination, signal));
        return { from: found, to: destination };
      },
    });
    return {
      value: { restored: true, path: to, from, ...repeated(result) },
      facts: { page: to, from, ...repeated(result) },
    };
  },
});
