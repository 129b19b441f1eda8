import { type Replacement, replaceText } from '../edit.ts';
import { setFrontmatter } from '../frontmatter/edit.ts';
import { assertTakesFrontmatter } from '../frontmatter/kinds.ts';
import { assertFrontmatterValues } from '../frontmatter/values.ts';
import type { Notebook } from '../notebook.ts';
import type { NotePath } from '../path.ts';
import { textOf } from '../text/text.ts';
import { suggestingWhenMissing } from './missing.ts';
import { assertRules, assertStillReadable, existing, updateNote } from './update-note.ts';

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
