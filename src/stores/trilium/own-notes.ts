/** The root and Trilium's own notes are its furniture: ETAPI would let anybody rename and overwrite them. */
import { AppError } from '../../shared/errors.ts';
import { isSystemId } from './wire/ids.ts';

export function assertNotOwn(noteId: string): void {
  if (noteId !== 'root' && !isSystemId(noteId)) return;
  throw new AppError('forbidden', 'This note cannot be changed', {
    subject: noteId,
    hint: "The root and Trilium's own notes (ids that begin with _) keep their title and content. Make a note below the root instead; nothing was written.",
  });
}
