import * as z from 'zod';
import { relocate } from '../../../notes/ops/links.ts';
import { findInTrash, listTrash } from '../../../notes/ops/trash.ts';
import { readIfThere } from '../../../notes/ops/update-note.ts';
import { parsePagePath } from '../../../notes/page-path.ts';
import { isAppError } from '../../../shared/errors.ts';
import { assertNewName, assertWritable } from '../access.ts';
import { defineTool, repeatKey } from '../backend.ts';
import { onPages } from '../page-errors.ts';
import { page, repeated } from '../parameters.ts';

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
    const { notes, repeats, pageMutex } = backend;
    const wanted = parsePagePath(raw);
    const target = rawTo === undefined ? undefined : parsePagePath(rawTo);
    if (target !== undefined) assertNewName(target);
    const key = repeatKey(call, 'restore', wanted, target ?? '');
    const restore = async () => {
      try {
        const { path: from, original } = findInTrash(await listTrash(notes, signal), wanted);
        const to = target ?? original;
        assertWritable(backend, to);
        await onPages(notes, [from, to], () => relocate(notes, from, to, signal));
        repeats.moves.set(key, to);
        return { from, to, deduplicated: false };
      } catch (error) {
        const to = repeats.moves.get(key);
        if (to === undefined || !isAppError(error, 'not_found') || !(await readIfThere(notes, to)))
          throw error;
        return { from: wanted, to, deduplicated: true };
      }
    };
    const { from, to, ...result } = await pageMutex.run(wanted, restore);
    return {
      value: { restored: true, path: to, from, ...repeated(result) },
      facts: { page: to, from, ...repeated(result) },
    };
  },
});
