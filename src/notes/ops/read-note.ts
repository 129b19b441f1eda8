/** Reads notes; a missing one is reported with the name that was probably meant. */
import { AppError, isAppError } from '../../shared/errors.ts';
import { nearest } from '../../shared/nearest.ts';
import { parseFrontmatter } from '../frontmatter/parse.ts';
import { splitFrontmatter } from '../frontmatter/split.ts';
import { takesFrontmatter } from '../frontmatter/values.ts';
import { joinPath, type NotePath, nameOf, parentOf, pathKey, stemOf } from '../path.ts';
import type { Note, NoteStore } from '../store.ts';
import { textOf } from '../text/text.ts';
import { listFiles } from './file-listing.ts';

export function missing(
  path: NotePath,
  hint = 'list_directory shows what is there; search_notes finds notes by content.',
): AppError {
  return new AppError('not_found', 'File not found', { subject: path, hint });
}

/** Runs `task`; when the note at `path` is not there, says which one may have been meant. */
export async function suggestingWhenMissing<T>(
  store: NoteStore,
  path: NotePath,
  task: () => Promise<T>,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!isAppError(error, 'not_found')) throw error;
    const near = await probablyMeant(store, path).catch(() => undefined);
    throw near === undefined ? missing(path) : missing(path, `Did you mean ${near}?`);
  }
}

/** A file of the same folder with a similar name, else one of the same name elsewhere. */
export async function probablyMeant(store: NoteStore, path: NotePath): Promise<string | undefined> {
  const folder = parentOf(path);
  const siblings = await store.listFolder?.(folder).catch(() => undefined);
  const similar = siblings && nearest(nameOf(path), siblings.files);
  if (similar !== undefined) return joinPath(folder, similar);
  const wanted = pathKey(stemOf(path));
  const elsewhere = store.maybeCalled?.(stemOf(path)) ?? (await listFiles(store)).map((meta) => meta.path);
  return elsewhere.find((other) => pathKey(stemOf(other)) === wanted);
}

interface ParsedNote {
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** The text after the frontmatter, unchanged. */
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
  return { frontmatter: data, content: body, problem };
}

/** Metadata of a note, and whether it has frontmatter. */
export async function noteInfo(store: NoteStore, path: NotePath) {
  const { size, lastModified: modified, bytes } = await store.read(path);
  return { path, size, modified, hasFrontmatter: hasFrontmatter(bytes) };
}

/** Ignores invalid UTF-8. */
function hasFrontmatter(bytes: Uint8Array): boolean {
  const decode = (part: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(part);
  return /^\uFEFF?---/.test(decode(bytes.subarray(0, 8))) && splitFrontmatter(decode(bytes)) !== undefined;
}
