import { type Replacement, replaceText } from '../edit.ts';
import type { Notebook } from '../notebook.ts';
import type { NotePath } from '../path.ts';
import { textOf } from '../text.ts';
import { suggestingWhenMissing } from './missing.ts';
import { assertRules, assertStillReadable } from './rules.ts';
import { existing, updateNote } from './update-note.ts';

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
