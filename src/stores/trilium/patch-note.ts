/** Title, type and mime of a note; a revision keeps what they were. */
import type { TriliumClient } from './client.ts';
import { assertExpected, type WriteOptions } from './expected-blob.ts';
import { keptNote } from './kept-note.ts';
import { assertNotOwn } from './own-notes.ts';
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
