import { takesFrontmatter } from '../frontmatter/kinds.ts';
import { parseFrontmatter } from '../frontmatter/parse.ts';
import { splitFrontmatter } from '../frontmatter/split.ts';
import type { NotePath } from '../path.ts';
import type { Note, NoteStore } from '../store.ts';
import { textOf } from '../text/text.ts';
import { suggestingWhenMissing } from './missing.ts';

interface ParsedNote {
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
  return { frontmatter: data, content: body, problem };
}

interface NoteInfo {
  readonly path: NotePath;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly hasFrontmatter: boolean;
}

const HEAD_BYTES = 64 * 1024;

export async function noteInfo(store: NoteStore, path: NotePath): Promise<NoteInfo> {
  const { size, lastModified, bytes } = await store.read(path);
  const inHead = hasFrontmatter(bytes.subarray(0, HEAD_BYTES));
  return {
    path,
    size,
    modified: lastModified,
    hasFrontmatter: inHead || (bytes.length > HEAD_BYTES && hasFrontmatter(bytes)),
  };
}

/** Whether the block is there is all that counts: an unreadable character somewhere does not matter. */
function hasFrontmatter(bytes: Uint8Array): boolean {
  if (!/^\uFEFF?---/.test(decode(bytes.subarray(0, 8)))) return false;
  return splitFrontmatter(decode(bytes)) !== undefined;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
