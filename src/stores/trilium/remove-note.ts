/** Deletes a note that is as the caller knows it, after a revision of it. */
import type { TriliumClient } from './client.ts';
import { deleteNote } from './delete-note.ts';
import { assertExpected } from './patch-note.ts';
import { takeRevision } from './take-revision.ts';
import { isSystemId } from './wire/ids.ts';
import type { TriliumNote } from './wire/types.ts';
import type { WriteOptions } from './write-content.ts';

export async function removeNote(
  client: Pick<TriliumClient, 'notes' | 'revisions'>,
  noteId: string,
  options: WriteOptions = {},
): Promise<TriliumNote> {
  if (noteId !== 'root' && !isSystemId(noteId)) {
    const note = await client.notes.get(noteId, options);
    assertExpected(note, options.expectedBlobId);
    if (!note.isProtected) await takeRevision(client, noteId, 'before it was deleted through Quire', options);
  }
  return deleteNote(client, noteId, options);
}
