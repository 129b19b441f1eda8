/** Several exact replacements in one note: all of them, or none. */
import { AppError, isAppError } from '../../shared/errors.ts';
import type { Notebook } from '../notebook.ts';
import type { NotePath } from '../path.ts';
import type { Note } from '../store.ts';
import { textOf } from '../text.ts';
import { type FileEdit, replaceOnce } from './edit-file.ts';
import { assertRules, assertStillReadable } from './rules.ts';
import { existing, updateNote } from './update-note.ts';

export interface NoteEdit {
  /** Each applies to what the one before left. */
  readonly edits: readonly FileEdit[];
  readonly dryRun: boolean;
  readonly assertSize: (text: string) => void;
  /** Whether the note is as an equal call left it. */
  readonly isDone: (current: Note) => boolean;
}

export interface EditedNote {
  readonly before: string;
  readonly after: string;
  /** Absent when nothing was written. */
  readonly version?: string;
}

export async function editNote(
  { notes, rules }: Pick<Notebook, 'notes' | 'rules'>,
  path: NotePath,
  edit: NoteEdit,
  signal?: AbortSignal,
): Promise<EditedNote> {
  let result = { before: '', after: '' };
  const compute = async (current: Note): Promise<string | undefined> => {
    const before = textOf(current);
    if (edit.isDone(current)) {
      result = { before, after: before };
      return undefined;
    }
    const after = edit.edits.reduce(applyEdit, before);
    edit.assertSize(after);
    await assertStillReadable(path, before, after);
    await assertRules({ rules }, path, after);
    result = { before, after };
    return edit.dryRun || after === before ? undefined : after;
  };
  const written = await updateNote(notes, path, async (note) => compute(existing(path, note)), signal);
  return { ...result, ...(written && { version: written.version }) };
}

function applyEdit(text: string, edit: FileEdit, at: number): string {
  try {
    return replaceOnce(text, edit);
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw new AppError(error.code, `edits[${at}]: ${error.title}`, {
      ...(error.hint !== undefined && { hint: error.hint }),
      ...(error.reason !== undefined && { reason: error.reason }),
    });
  }
}
