/** The backend, parameters and answer parts of the vault surface. */
import * as z from 'zod';
import { defineToolFor } from '../../mcp/tool.ts';
import { orMeant } from '../../notes/ops/find-note.ts';
import { missing, probablyMeant } from '../../notes/ops/read-note.ts';
import { type NotePath, parseNotePath } from '../../notes/path.ts';
import type { NoteSearcher } from '../../notes/searcher.ts';
import type { Notebook, NoteStore } from '../../notes/store.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { isBinary } from '../shared/binary.ts';
import { path } from '../shared/parameters.ts';

/** The backend of the vault surface. `files` has every file that is not hidden, of any type. */
export interface VaultBackend extends Pick<Notebook, 'files' | 'rules' | 'guard' | 'addressOf'> {
  readonly searcher: NoteSearcher;
  /** Lines shown of a file when no range is requested. */
  readonly readThreshold: number;
}

export const defineTool = defineToolFor<VaultBackend>();

export const filePath = () => path('File, relative to the vault root, e.g. "projects/plan.md"');

/** Fields by which a long list is continued. */
export const continuation = () => ({ next_cursor: z.string().optional(), note: z.string().optional() });

/** Refuses to write text to a file of a binary type. */
export function assertTextFile(path: NotePath): void {
  if (!isBinary(path)) return;
  throw new AppError('unsupported', 'Not a text file', {
    subject: path,
    hint: 'Nothing was changed. Only text can be written or edited here.',
  });
}

/** UTC, to the second: `2026-02-08T14:30:00Z`. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** For a file that exists: its path, or what else it is called. */
export function onNamedFile<T>(
  { files, searcher }: Pick<VaultBackend, 'files' | 'searcher'>,
  given: string,
  task: (path: NotePath) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const onPath = (path: NotePath) => onFile(files, path, () => task(path));
  return orMeant(searcher, { given, path: parseNotePath(given) }, onPath, { signal });
}

/** Rewords a missing file or a folder in the terms of this surface. */
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
