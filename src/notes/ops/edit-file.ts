/** Replaces the one place where a text stands in a file. */
import { AppError } from '../../shared/errors.ts';
import { closestHint, findText, linesOfSpans, replaceSpans } from '../edit.ts';
import type { Notebook } from '../notebook.ts';
import type { NotePath } from '../path.ts';
import { textOf } from '../text.ts';
import { assertRules } from './rules.ts';
import { existing, updateNote } from './update-note.ts';

export interface FileEdit {
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

export function replaceOnce(text: string, { oldText, newText }: FileEdit): string {
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
