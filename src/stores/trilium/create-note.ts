/** Makes a note; never over one that is there, as ETAPI does with an id that is taken. */
import { AppError, isAppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import type { NewNote } from './wire/notes.ts';
import type { CallOptions, CreatedNote } from './wire/types.ts';

export async function createNote(
  { notes }: Pick<TriliumClient, 'notes'>,
  note: NewNote,
  options?: CallOptions,
): Promise<CreatedNote> {
  if (note.noteId !== undefined && (await exists({ notes }, note.noteId, options)))
    throw new AppError('already_exists', 'A note of that id exists', {
      subject: note.noteId,
      hint: 'Leave noteId out to have one chosen, or use write_note to change that note.',
    });
  return notes.create(note, options);
}

async function exists(
  { notes }: Pick<TriliumClient, 'notes'>,
  noteId: string,
  options?: CallOptions,
): Promise<boolean> {
  return notes.get(noteId, options).then(
    () => true,
    (error: unknown) => {
      if (isAppError(error, 'not_found')) return false;
      throw error;
    },
  );
}
