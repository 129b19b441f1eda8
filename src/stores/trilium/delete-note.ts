/** Deletes a note that is there. ETAPI says yes to any id; whoever asked has to know whether something happened. */
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import { isSystemId } from './wire/ids.ts';
import type { CallOptions, TriliumNote } from './wire/types.ts';

/** What was deleted, as it was. Trilium keeps it for a while: `undelete` brings it back. */
export async function deleteNote(
  { notes }: Pick<TriliumClient, 'notes'>,
  noteId: string,
  options?: CallOptions,
): Promise<TriliumNote> {
  if (noteId === 'root' || isSystemId(noteId))
    throw new AppError('forbidden', 'This note cannot be deleted', {
      subject: noteId,
      hint: "The root and Trilium's own notes (ids that begin with _) stay.",
    });
  const note = await notes.get(noteId, options);
  await notes.remove(noteId, options);
  return note;
}
