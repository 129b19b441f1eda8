/** What is missing, or is a folder, said in the words and with the tools of this surface. */
import { missing, probablyMeant } from '../../notes/ops/missing.ts';
import type { NotePath } from '../../notes/path.ts';
import type { NoteStore } from '../../notes/store.ts';
import { AppError, isAppError } from '../../shared/errors.ts';

export async function onFile<T>(files: NoteStore, path: NotePath, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (isAppError(error, 'not_found') && error.subject === path) throw await notThere(files, path);
    if (isAppError(error, 'invalid_input') && error.reason === undefined && (await isFolder(files, path)))
      throw new AppError('invalid_input', 'Not a file', {
        subject: path,
        hint: 'It is a folder. vault_list shows what is in it.',
      });
    throw error;
  }
}

async function notThere(files: NoteStore, path: NotePath): Promise<AppError> {
  const near = await probablyMeant(files, path).catch(() => undefined);
  return missing(
    path,
    near === undefined
      ? 'vault_list shows what a folder holds; vault_search finds files.'
      : `Did you mean ${near}?`,
  );
}

async function isFolder(files: NoteStore, path: NotePath): Promise<boolean> {
  return (await files.listFolder?.(path).catch(() => undefined)) !== undefined;
}
