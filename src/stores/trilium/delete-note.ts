/**
 * Deletes a note that is there and as the caller knows it, after a revision of it. ETAPI says yes to any id; whoever
 * asked has to know whether something happened.
 */
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import { assertExpected, type WriteOptions } from './expected-blob.ts';
import { keptNote } from './kept-note.ts';
import { isSystemId } from './wire/ids.ts';
import type { TriliumNote } from './wire/types.ts';

/** What was deleted, as it was. Trilium keeps it for a while: `undelete` brings it back. */
export async function deleteNote(
  client: Pick<TriliumClient, 'notes' | 'revisions'>,
  noteId: string,
  options: WriteOptions = {},
): Promise<TriliumNote> {
  if (noteId === 'root' || isSystemId(noteId))
    throw new AppError('forbidden', 'This note cannot be deleted', {
      subject: noteId,
      hint: "The root and Trilium's own notes (ids that begin with _) stay.",
    });
  const note = await client.notes.get(noteId, options);
  assertExpected(note, options);
  const last = await keptNote(client, note, 'before it was deleted through Quire', options);
  await client.notes.remove(noteId, options);
  return last;
}
