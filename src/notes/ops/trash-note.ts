/** Takes a note out of the way for good use later: it goes to the trash, never over what is there already. */
import { isAppError } from '../../shared/errors.ts';
import type { NotePath } from '../path.ts';
import type { NoteStore } from '../store.ts';
import { stampedPath, trashPathOf } from '../trash-path.ts';
import { relocate } from './relocate.ts';

const MAX_TRIES = 20;

/** Resolves to where it went. */
export async function trashNote(
  store: NoteStore,
  path: NotePath,
  now: number,
  signal?: AbortSignal,
): Promise<NotePath> {
  const plain = trashPathOf(path, now);
  for (let attempt = 0; ; attempt++) {
    const target = attempt === 0 ? plain : stampedPath(plain, now + attempt - 1);
    try {
      await relocate(store, path, target, signal);
      return target;
    } catch (error) {
      if (!isAppError(error, 'already_exists') || attempt === MAX_TRIES) throw error;
    }
  }
}
