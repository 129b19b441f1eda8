import { bodyStartOf } from '../frontmatter/body-start.ts';
import { mergeFrontmatter, setFrontmatter } from '../frontmatter/edit.ts';
import { parseFrontmatter } from '../frontmatter/parse.ts';
import { assertFrontmatterValues } from '../frontmatter/values.ts';
import { joinBlocks } from '../join-blocks.ts';
import type { Notebook } from '../notebook.ts';
import type { NotePath } from '../path.ts';
import type { Note, WrittenNote } from '../store.ts';
import { textOf } from '../text.ts';
import { assertRules } from './rules.ts';
import { updateNote } from './update-note.ts';

export type WriteMode = 'overwrite' | 'append' | 'prepend';

export interface NoteWrite {
  readonly content: string;
  readonly frontmatter?: Record<string, unknown>;
  readonly mode: WriteMode;
}

export async function writeNote(
  notebook: Notebook,
  path: NotePath,
  write: NoteWrite,
  signal?: AbortSignal,
): Promise<WrittenNote | undefined> {
  if (write.frontmatter) assertFrontmatterValues(write.frontmatter);
  return updateNote(
    notebook.notes,
    path,
    async (current) => {
      const text = await newText(current, write);
      await assertRules(notebook, path, text);
      return text;
    },
    signal,
  );
}

async function newText(
  current: Note | undefined,
  { content, frontmatter = {}, mode }: NoteWrite,
): Promise<string> {
  if (mode === 'overwrite' || current === undefined) return withFrontmatter(content, frontmatter);
  const old = textOf(current);
  const incoming = await parseFrontmatter(content);
  const addition = incoming.problem === undefined ? incoming.body : content;
  const merged = await mergeFrontmatter(old, {
    ...(incoming.problem === undefined && incoming.data),
    ...frontmatter,
  });
  const bodyStart = bodyStartOf(merged);
  const head = merged.slice(0, bodyStart);
  const body = merged.slice(bodyStart);
  return (
    head + (mode === 'append' ? joinBlocks(body, addition, 'after') : joinBlocks(body, addition, 'before'))
  );
}

/** The given keys win over those in the content's own frontmatter. */
async function withFrontmatter(content: string, frontmatter: Record<string, unknown>): Promise<string> {
  return Object.keys(frontmatter).length === 0 ? content : setFrontmatter(content, frontmatter);
}
