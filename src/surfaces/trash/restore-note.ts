import * as z from 'zod';
import { findDeleted, listDeleted, restoreDeleted } from '../../notes/ops/deleted-notes.ts';
import { defineTool } from '../shared/note-set.ts';
import { path as pathOf } from '../shared/parameters.ts';
import { trashOf } from './list-trash.ts';

export const restoreNote = defineTool({
  name: 'restore_note',
  title: 'Restore note',
  description:
    'Bring a deleted note or file back to where it was, or to another path with `to`. Name it by a path of list_trash, or by the path or name it had: then the latest deleted one comes back. Nothing is overwritten: fails if the place is taken. To take back other changes use undo_changes. Example: {"path":"projects/old plan.md"}',
  effect: 'write',
  input: () =>
    z.strictObject({
      path: pathOf('Deleted note: a path of list_trash, or the path or name it had'),
      to: pathOf('Restore it here instead').optional(),
    }),
  output: () =>
    z.object({
      path: z.string(),
      from: z.string(),
      size: z.number().optional(),
      note: z.string().optional(),
    }),
  async run({ path: wanted, to }, { backend, signal }) {
    const deleted = findDeleted(await listDeleted(trashOf(backend), { signal }), wanted);
    const { path, staysInTrash } = await restoreDeleted(backend, deleted, to, signal);
    const note = staysInTrash ? 'The copy in the trash stays.' : undefined;
    return {
      value: { path, from: deleted.path, size: deleted.id === undefined ? deleted.size : undefined, note },
      facts: { path, from: deleted.path },
    };
  },
});
