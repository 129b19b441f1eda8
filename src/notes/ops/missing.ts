/** `File not found`, with the name that was probably meant. */
import { AppError, isAppError } from '../../shared/errors.ts';
import { nearest } from '../../shared/nearest.ts';
import { joinPath, type NotePath, nameOf, parentOf, pathKey, stemOf } from '../path.ts';
import type { NoteStore } from '../store.ts';

export function missing(
  path: NotePath,
  hint = 'list_directory shows what is there; search_notes finds notes by content.',
): AppError {
  return new AppError('not_found', 'File not found', { subject: path, hint });
}

/** Runs `task`; when the note at `path` is not there, says which one may have been meant. */
export async function suggestingWhenMissing<T>(
  store: NoteStore,
  path: NotePath,
  task: () => Promise<T>,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!isAppError(error, 'not_found')) throw error;
    const near = await probablyMeant(store, path).catch(() => undefined);
    throw near === undefined ? missing(path) : missing(path, `Did you mean ${near}?`);
  }
}

/** A file of the same folder with a similar name, else one of the same name elsewhere. */
export async function probablyMeant(store: NoteStore, path: NotePath): Promise<string | undefined> {
  const folder = parentOf(path);
  const siblings = await store.listFolder?.(folder).catch(() => undefined);
  const similar = siblings && nearest(nameOf(path), siblings.files);
  if (similar !== undefined) return joinPath(folder, similar);
  const wanted = pathKey(stemOf(path));
  return (await store.list()).find((meta) => pathKey(stemOf(meta.path)) === wanted)?.path;
}
