/** Exact replacements in notes, and changes of frontmatter: each call as a whole or not at all. */
import { AppError, isAppError } from '../../shared/errors.ts';
import { closestHint, findText, linesOfSpans, type Replacement, replaceSpans, replaceText } from '../edit.ts';
import { setFrontmatter } from '../frontmatter/edit.ts';
import { assertFrontmatterValues, assertTakesFrontmatter } from '../frontmatter/values.ts';
import type { NotePath } from '../path.ts';
import type { Note, Notebook } from '../store.ts';
import { textOf } from '../text/text.ts';
import { suggestingWhenMissing } from './read-note.ts';
import { assertRules, assertStillReadable, existing, updateNote } from './update-note.ts';

interface FileEdit {
  readonly oldText: string;
  readonly newText: string;
}

/** Resolves to the file's new text. */
export async function editFile(
  { files, rules }: Pick<Notebook, 'files' | 'rules'>,
  path: NotePath,
  edit: FileEdit,
  signal?: AbortSignal,
): Promise<string> {
  let after = '';
  await updateNote(
    files,
    path,
    async (current) => {
      after = replaceOnce(textOf(existing(path, current)), edit);
      await assertRules({ rules }, path, after);
      return after;
    },
    signal,
  );
  return after;
}

function replaceOnce(text: string, { oldText, newText }: FileEdit): string {
  const spans = findText(text, oldText, { overlapping: true });
  if (spans.length === 0) {
    throw new AppError('invalid_input', 'Text not found in file', {
      hint: closestHint(text, oldText) ?? 'The file holds nothing like it.',
      reason: 'text_not_found',
    });
  }
  if (spans.length > 1) {
    throw new AppError('invalid_input', `Text appears ${spans.length} times in file, must be unique`, {
      hint: `It stands in ${linesOfSpans(text, spans)}. Give more of the text around the place you mean.`,
      reason: 'text_not_unique',
    });
  }
  return replaceSpans(text, spans, { oldString: oldText, newString: newText });
}

interface NoteEdit {
  /** In order; each applies to the result of the one before. */
  readonly edits: readonly FileEdit[];
  readonly dryRun: boolean;
  readonly assertSize: (text: string) => void;
  /** True for a note that an equal call has changed already. */
  readonly isDone: (current: Note) => boolean;
}

interface EditedNote {
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
  return { ...result, version: written ? written.version : undefined };
}

function applyEdit(text: string, edit: FileEdit, at: number): string {
  try {
    return replaceOnce(text, edit);
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw new AppError(error.code, `edits[${at}]: ${error.title}`, {
      hint: error.hint,
      reason: error.reason,
    });
  }
}

/** Replaces text anywhere in the note, frontmatter included. Resolves to how many places changed. */
export async function patchNote(
  notebook: Notebook,
  path: NotePath,
  replacement: Replacement,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  await suggestingWhenMissing(notebook.notes, path, () =>
    updateNote(
      notebook.notes,
      path,
      async (current) => {
        const before = textOf(existing(path, current));
        const edited = replaceText(before, replacement);
        await assertStillReadable(path, before, edited.text);
        await assertRules(notebook, path, edited.text);
        count = edited.count;
        return edited.text;
      },
      signal,
    ),
  );
  return count;
}

/** Resolves to whether anything changed. */
export async function updateFrontmatter(
  notebook: Notebook,
  path: NotePath,
  changes: { readonly frontmatter: Record<string, unknown>; readonly merge: boolean },
  signal?: AbortSignal,
): Promise<boolean> {
  assertTakesFrontmatter(path);
  assertFrontmatterValues(changes.frontmatter);
  const written = await suggestingWhenMissing(notebook.notes, path, () =>
    updateNote(
      notebook.notes,
      path,
      async (current) => {
        const before = textOf(existing(path, current));
        const after = await setFrontmatter(before, changes.frontmatter, { replace: !changes.merge });
        await assertRules(notebook, path, after);
        return after === before ? undefined : after;
      },
      signal,
    ),
  );
  return written !== undefined;
}
