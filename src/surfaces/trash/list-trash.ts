import * as z from 'zod';
import { type DeletedNote, listDeleted } from '../../notes/ops/deleted-notes.ts';
import { AppError } from '../../shared/errors.ts';
import { continuation, folder, isBelow, limit, listPage } from '../shared/list-page.ts';
import { defineTool, type NoteSetBackend } from '../shared/note-set.ts';
import { cursor, warning, withWarnings } from '../shared/parameters.ts';

/** The trash of a notebook; a Trilium's is not reachable. */
export function trashOf(backend: NoteSetBackend) {
  if (backend.kind === 'trilium')
    throw new AppError('unsupported', 'The trash of a Trilium is not reachable here', {
      hint: 'Trilium keeps deleted notes for a while: bring one back there under Recent Changes, or undo the deletion with undo_changes.',
    });
  const { files, searcher, kind } = backend;
  return { files, searcher, copies: kind === 'silverbullet' };
}

/** `YYYY-MM-DD`, or the month where no more is known. */
export function dayOf({ deletedAt, month }: DeletedNote): string | undefined {
  return deletedAt === undefined ? month : new Date(deletedAt).toISOString().slice(0, 10);
}

export const listTrash = defineTool({
  name: 'list_trash',
  title: 'List trash',
  description:
    'Deleted notes and files, the latest first: path in the trash, `original` path, size in bytes, and the day (or month) of the deletion where it is known. Bring one back with restore_note. Example: {"limit":20}',
  effect: 'read',
  input: () => z.strictObject({ folder: folder(), limit: limit(50), cursor: cursor() }),
  output: () =>
    z.object({
      total: z.number(),
      notes: z.array(
        z.object({
          path: z.string(),
          original: z.string(),
          size: z.number(),
          deleted: z.string().optional(),
        }),
      ),
      ...continuation(),
      warning: warning(),
    }),
  async run({ folder: given, ...page }, call) {
    const warned = withWarnings(call);
    const below = isBelow(given);
    const all = await listDeleted(trashOf(call.backend), warned.options);
    const wanted = all.filter(({ original }) => below(original));
    const { shown, more } = listPage(wanted, {
      ...page,
      tool: 'list_trash',
      entries: 'Notes',
      keyOf: ({ path }) => path,
    });
    const notes = shown.map((note) => ({
      path: note.path,
      original: note.original,
      size: note.size,
      deleted: dayOf(note),
    }));
    return { value: { total: wanted.length, notes, ...warned.warning(), ...more } };
  },
});
