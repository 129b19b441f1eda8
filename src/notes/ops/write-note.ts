/** Writes whole notes and files, and adds to notes. */
import { AppError, isAppError } from '../../shared/errors.ts';
import { mergeFrontmatter, setFrontmatter } from '../frontmatter/edit.ts';
import { parseFrontmatter } from '../frontmatter/parse.ts';
import { bodyStartOf } from '../frontmatter/split.ts';
import { assertFrontmatterValues, assertTakesFrontmatter, takesFrontmatter } from '../frontmatter/values.ts';
import { joinBlocks, joinLines } from '../insert-block.ts';
import { type NotePath, parentOf, ROOT } from '../path.ts';
import type { Note, Notebook, NoteStore, WrittenNote } from '../store.ts';
import { textOf } from '../text/text.ts';
import { assertRules, updateNote } from './update-note.ts';

type WriteMode = 'overwrite' | 'append' | 'prepend';

interface NoteWrite {
  readonly content: string;
  readonly frontmatter?: Record<string, unknown>;
  readonly mode: WriteMode;
  /** The version of the note that the caller has seen. */
  readonly expectedVersion?: string;
}

export async function writeNote(
  notebook: Notebook,
  path: NotePath,
  write: NoteWrite,
  signal?: AbortSignal,
): Promise<WrittenNote | undefined> {
  if (write.frontmatter) {
    if (Object.keys(write.frontmatter).length > 0) assertTakesFrontmatter(path);
    assertFrontmatterValues(write.frontmatter);
  }
  const isWhole = write.mode === 'overwrite';
  const written = await updateNote(
    notebook.notes,
    path,
    async (current) => {
      if (isWhole) await notebook.guard?.assertSeen(path, current, write.expectedVersion);
      const text = await newText(path, current, write);
      await assertRules(notebook, path, text);
      return text;
    },
    signal,
  );
  if (isWhole && written) await notebook.guard?.shown(written);
  return written;
}

async function newText(
  path: NotePath,
  current: Note | undefined,
  { content, frontmatter = {}, mode }: NoteWrite,
): Promise<string> {
  // Throws for a note that is no text, also when it is to be replaced: such a note is never rewritten.
  const old = current && textOf(current);
  // The given keys win over those in the content's own frontmatter.
  if (old === undefined || mode === 'overwrite') return setFrontmatter(content, frontmatter);
  const side = mode === 'append' ? 'after' : 'before';
  if (!takesFrontmatter(path)) return joinLines(old, content, side);
  const incoming = await parseFrontmatter(content);
  const addition = incoming.problem === undefined ? incoming.body : content;
  const own = incoming.problem === undefined ? incoming.data : {};
  const merged = await mergeFrontmatter(old, { ...own, ...frontmatter });
  const bodyStart = bodyStartOf(merged);
  return merged.slice(0, bodyStart) + joinBlocks(merged.slice(bodyStart), addition, side);
}

interface FileWrite {
  readonly content: string;
  /** Make missing folders on the way. */
  readonly createFolders: boolean;
  /** The version of the file that the caller has seen. */
  readonly expectedVersion?: string;
}

/** Gives a file its whole text, whatever stood there before. Resolves to whether it is new, and its size in bytes. */
export async function writeFile(
  { files, rules, guard }: Pick<Notebook, 'files' | 'rules' | 'guard'>,
  path: NotePath,
  { content, createFolders, expectedVersion }: FileWrite,
  signal?: AbortSignal,
): Promise<{ created: boolean; size: number }> {
  let created = false;
  const written = await updateNote(
    files,
    path,
    async (current) => {
      created = current === undefined;
      if (created && !createFolders) await assertFolder(files, parentOf(path));
      // A binary file is never replaced by text.
      if (current) textOf(current);
      await guard?.assertSeen(path, current, expectedVersion);
      await assertRules({ rules }, path, content);
      return content;
    },
    signal,
  );
  if (written) await guard?.shown(written);
  return { created, size: written?.size ?? 0 };
}

async function assertFolder(store: NoteStore, folder: NotePath): Promise<void> {
  if (folder === ROOT) return;
  await store.listFolder?.(folder).catch((error: unknown) => {
    if (!isAppError(error, 'not_found')) throw error;
    throw new AppError('not_found', 'Folder not found', {
      subject: folder,
      hint: 'Nothing was written. Name an existing folder, or let missing ones be made.',
    });
  });
}

/** Refuses to remove a note that is not what the session was shown. */
export async function removeNote(
  { notes, guard }: Pick<Notebook, 'notes' | 'guard'>,
  path: NotePath,
  expectedVersion?: string,
): ReturnType<NoteStore['remove']> {
  if (!guard) return notes.remove(path);
  const current = await notes.read(path).catch((error: unknown) => {
    // A file too large to be read can only be removed unseen.
    if (!isAppError(error, 'unsupported')) throw error;
  });
  if (!current) return notes.remove(path);
  await guard.assertSeen(path, current, expectedVersion);
  return notes.remove(path, { ifVersion: current.version });
}
