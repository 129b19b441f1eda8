/** Refuses every change by name instead of failing somewhere below. */
import type { NoteStore } from '../../notes/store.ts';
import { AppError } from '../../shared/errors.ts';

export function readOnly(store: NoteStore): NoteStore {
  const refuse = async (): Promise<never> => {
    throw new AppError('read_only', 'Notebook is read-only', {
      subject: store.name,
      hint: 'It is served without the right to change notes.',
    });
  };
  return { ...store, write: refuse, remove: refuse, ...(store.move && { move: refuse }) };
}
