/** Title, type and mime of a note; a revision keeps what they were. */

import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import { assertNotOwn } from './own-notes.ts';
import { assertExpected, keptNote, type WriteOptions } from './revisions.ts';
import { isSystemId } from './wire/ids.ts';
import type { NotePatch } from './wire/notes.ts';
import type { TriliumNote } from './wire/types.ts';

export async function patchNote(
  client: Pick<TriliumClient, 'notes' | 'revisions'>,
  noteId: string,
  patch: NotePatch,
  options: WriteOptions = {},
): Promise<TriliumNote> {
  assertNotOwn(noteId);
  const note = await client.notes.get(noteId, options);
  assertExpected(note, options);
  const isOther = (['title', 'type', 'mime'] as const).some(
    (name) => patch[name] !== undefined && patch[name] !== note[name],
  );
  if (!isOther) return note;
  await keptNote(client, note, 'before a change through Quire', options);
  return client.notes.patch(noteId, patch, options);
}

/**
 * Deletes a note that is there and as the caller knows it, after a revision of it. ETAPI says yes to any id; whoever
 * asked has to know whether something happened.
 */

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
