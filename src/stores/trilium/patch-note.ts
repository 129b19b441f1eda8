/** Title, type and mime of a note; a revision keeps what they were. */
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import { takeRevision } from './take-revision.ts';
import type { NotePatch } from './wire/notes.ts';
import type { TriliumNote } from './wire/types.ts';
import type { WriteOptions } from './write-content.ts';

export async function patchNote(
  client: Pick<TriliumClient, 'notes' | 'revisions'>,
  noteId: string,
  patch: NotePatch,
  options: WriteOptions = {},
): Promise<TriliumNote> {
  const note = await client.notes.get(noteId, options);
  assertExpected(note, options.expectedBlobId);
  const isOther = (['title', 'type', 'mime'] as const).some(
    (name) => patch[name] !== undefined && patch[name] !== note[name],
  );
  if (!isOther) return note;
  // Of a locked note none can be taken, nor will the change be.
  if (!note.isProtected) await takeRevision(client, noteId, 'before a change through Quire', options);
  return client.notes.patch(noteId, patch, options);
}

export function assertExpected({ noteId, blobId }: TriliumNote, expected: string | undefined): void {
  if (expected === undefined || blobId === expected) return;
  throw new AppError('conflict', 'The note was changed meanwhile', {
    subject: noteId,
    hint: `Its blobId is ${blobId} now, not ${expected.slice(0, 40)}. Read it again first. Nothing was changed.`,
  });
}
