/** Exact replacements in notes, and changes of frontmatter: each call as a whole or not at all. */
import { AppError, isAppError } from '../../shared/errors.ts';
import { type Replacement, replaceIn, replaceText } from '../edit.ts';
import { setFrontmatter } from '../frontmatter/edit.ts';
import { assertFrontmatterValues, assertTakesFrontmatter } from '../frontmatter/values.ts';
import type { NotePath } from '../path.ts';
import type { Note, Notebook } from '../store.ts';
import { suggestingWhenMissing } from './read-note.ts';
import { assertStillReadable, editText } from './update-note.ts';

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
  const notebook = { notes: files, rules };
  return (await editText(notebook, path, (text) => replaceOnce(text, edit), { signal })).after;
}

function replaceOnce(text: string, { oldText, newText }: FileEdit): string {
  const replacement = { oldString: oldText, newString: newText };
  return replaceIn(text, replacement, {
    missing: (hint = 'The file has nothing similar.') =>
      new AppError('invalid_input', 'Text not found in file', { hint, reason: 'text_not_found' }),
    several: (count, lines) =>
      new AppError('invalid_input', `Text appears ${count} times in file, must be unique`, {
        hint: `It is in ${lines}. Give more of the text around the place you mean.`,
        reason: 'text_not_unique',
      }),
  }).text;
}

interface NoteEdit {
  /** In order; each applies to the result of the one before. */
  readonly edits: readonly FileEdit[];
  readonly dryRun: boolean;
  readonly assertSize: (text: string) => void;
  /** True for a note that an equal call has changed already. */
  readonly isDone: (current: Note) => boolean;
}

export function editNote(
  notebook: Pick<Notebook, 'notes' | 'rules'>,
  path: NotePath,
  { edits, dryRun, assertSize, isDone }: NoteEdit,
  signal?: AbortSignal,
): ReturnType<typeof editText> {
  const edit = async (before: string, note: Note) => {
    if (isDone(note)) return undefined;
    const after = edits.reduce(applyEdit, before);
    assertSize(after);
    await assertStillReadable(path, before, after);
    return after;
  };
  return editText(notebook, path, edit, { dryRun, signal });
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
  const edit = async (before: string) => {
    const edited = replaceText(before, replacement);
    await assertStillReadable(path, before, edited.text);
    count = edited.count;
    return edited.text;
  };
  await suggestingWhenMissing(notebook.notes, path, () => editText(notebook, path, edit, { signal }));
  return count;
}

/** Resolves to whether anything changed. */
export async function updateFrontmatter(
  notebook: Notebook,
  path: NotePath,
  {
    frontmatter,
    merge,
    expectedVersion,
  }: {
    readonly frontmatter: Record<string, unknown>;
    readonly merge: boolean;
    readonly expectedVersion?: string;
  },
  signal?: AbortSignal,
): Promise<boolean> {
  assertTakesFrontmatter(path);
  assertFrontmatterValues(frontmatter);
  const edit = async (before: string, current: Note) => {
    if (!merge) await notebook.guard?.assertSeen(path, current, expectedVersion);
    return setFrontmatter(before, frontmatter, { replace: !merge });
  };
  const { version } = await suggestingWhenMissing(notebook.notes, path, () =>
    editText(notebook, path, edit, { signal }),
  );
  return version !== undefined;
}
