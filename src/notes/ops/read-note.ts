import { takesFrontmatter } from '../frontmatter/kinds.ts';
import { parseFrontmatter } from '../frontmatter/parse.ts';
import type { NotePath } from '../path.ts';
import type { Note, NoteStore } from '../store.ts';
import { textOf } from '../text.ts';
import { suggestingWhenMissing } from './missing.ts';

export interface ParsedNote {
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** What follows the frontmatter, to the byte. */
  readonly content: string;
  /** Set when the frontmatter is not valid YAML: then `content` is the whole note. */
  readonly problem?: string;
}

export async function readNote(
  store: NoteStore,
  path: NotePath,
): Promise<ParsedNote & { readonly note: Note }> {
  const note = await suggestingWhenMissing(store, path, () => store.read(path));
  return { ...(await parseNote(note)), note };
}

export async function parseNote(note: Note): Promise<ParsedNote> {
  const text = textOf(note);
  if (!takesFrontmatter(note.path)) return { frontmatter: {}, content: text };
  const { data, body, problem } = await parseFrontmatter(text);
  return { frontmatter: data, content: body, ...(problem !== undefined && { problem }) };
}
