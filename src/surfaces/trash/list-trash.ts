import * as z from 'zod';
import { type DeletedNote, listDeleted } from '../../notes/ops/deleted-notes.ts';
import { AppError } from '../../shared/errors.ts';
import { continuation, folder, isBelow, limit, listPage } from '../shared/list-page.ts';
import { defineTool, type NoteSetBackend } from '../shared/note-set.ts';
import { cursor, warning, withWarnings } from '../shared/parameters.ts';

export function trashOf({ files, searcher, kind }: NoteSetBackend) {
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
    'Deleted notes and files, the latest first: path in the trash, `original` path, size in bytes, and the day (or month) of the deletion where it is known; of a Trilium (from 0.102 on) id and title. Bring one back with restore_note. Example: {"limit":20}',
  effect: 'read',
  input: () => z.strictObject({ folder: folder(), limit: limit(50), cursor: cursor() }),
  output: () =>
    z.object({
      total: z.number(),
      notes: z.array(
        z.object({
          path: z.string(),
          original: z.string(),
          size: z.number().optional(),
          deleted: z.string().optional(),
        }),
      ),
      ...continuation(),
      warning: warning(),
    }),
  async run({ folder: given, ...page }, call) {
    if (call.backend.files.deleted && given !== undefined)
      throw new AppError('unsupported', 'folder: Trilium does not say where a deleted note was', {
        hint: 'Leave folder out.',
      });
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
      size: note.id === undefined ? note.size : undefined,
      deleted: dayOf(note),
    }));
    return { value: { total: wanted.length, notes, ...warned.warning(), ...more } };
  },
});
