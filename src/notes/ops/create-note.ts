/** Makes a note where there is none. The same call again, because its answer was lost, finds its own note there. */
import { isAppError } from '../../shared/errors.ts';
import type { Recent } from '../../shared/recent.ts';
import type { Notebook } from '../notebook.ts';
import type { NotePath } from '../path.ts';
import type { WrittenNote } from '../store.ts';
import { assertRules } from './rules.ts';
import { readIfThere } from './update-note.ts';

export async function createNote(
  { notes, rules }: Pick<Notebook, 'notes' | 'rules'>,
  path: NotePath,
  text: string,
  repeat: { readonly key: string; readonly recent: Recent<true> },
): Promise<{ note: WrittenNote; deduplicated: boolean }> {
  await assertRules({ rules }, path, text);
  const { key, recent } = repeat;
  const isRepeat = recent.get(key) === true;
  try {
    const writing = notes.write(path, text, { ifVersion: null });
    // Before the answer, so that a note that was made without one is recognised too.
    recent.set(key, true);
    return { note: await writing, deduplicated: false };
  } catch (error) {
    if (!isAppError(error, 'already_exists')) throw error;
    const current = isRepeat ? await readIfThere(notes, path) : undefined;
    if (current && Buffer.compare(current.bytes, Buffer.from(text)) === 0)
      return { note: current, deduplicated: true };
    if (!isRepeat) recent.delete(key);
    throw error;
  }
}
