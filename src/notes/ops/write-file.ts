/** Gives a file its whole text, whatever stood there before. */
import { AppError, isAppError } from '../../shared/errors.ts';
import type { Notebook } from '../notebook.ts';
import { type NotePath, parentOf, ROOT } from '../path.ts';
import type { NoteStore } from '../store.ts';
import { textOf } from '../text.ts';
import { assertRules } from './rules.ts';
import { updateNote } from './update-note.ts';

export interface FileWrite {
  readonly content: string;
  /** Make missing folders on the way. */
  readonly createFolders: boolean;
}

/** Resolves to whether the file is new, and its size in bytes. */
export async function writeFile(
  { files, rules }: Pick<Notebook, 'files' | 'rules'>,
  path: NotePath,
  { content, createFolders }: FileWrite,
  signal?: AbortSignal,
): Promise<{ created: boolean; size: number }> {
  let created = false;
  const written = await updateNote(
    files,
    path,
    async (current) => {
      created = current === undefined;
      if (created && !createFolders) await assertFolder(files, parentOf(path));
      // What cannot be read as text is never replaced by text.
      if (current) textOf(current);
      await assertRules({ rules }, path, content);
      return content;
    },
    signal,
  );
  return { created, size: written?.size ?? 0 };
}

async function assertFolder(store: NoteStore, folder: NotePath): Promise<void> {
  if (folder === ROOT) return;
  await store.listFolder?.(folder).catch((error: unknown) => {
    if (!isAppError(error, 'not_found')) throw error;
    throw new AppError('not_found', 'Folder not found', {
      subject: folder,
      hint: 'Nothing was written. Name an existing folder, or let missing ones be made.',
    });
  });
}
