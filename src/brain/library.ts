/** All mounted notebooks as one body of text notes. */
import { createFileFilter } from '../notes/file-filter.ts';
import { readListKey } from '../notes/frontmatter/lists.ts';
import { parseFrontmatter } from '../notes/frontmatter/parse.ts';
import { missing, suggestingWhenMissing } from '../notes/ops/missing.ts';
import { type NotePath, parseNotePath } from '../notes/path.ts';
import type { KnownFile, SearchFilter } from '../notes/searcher.ts';
import type { Note } from '../notes/store.ts';
import { normalizeTag, scanInlineTags } from '../notes/tags.ts';
import { textOf } from '../notes/text.ts';
import { titleOf } from '../notes/title.ts';
import { isAppError } from '../shared/errors.ts';
import { askAll, mountsOf } from './mounts.ts';
import { isMarkdown, isTextNote } from './note-kinds.ts';
import type { KnownNote, Library, Source, SourceNote } from './types.ts';

/** Tags of longer notes are those of their frontmatter: such a note is data. */
const LARGEST_SCANNED = 1024 * 1024;

export function openLibrary(sources: readonly Source[]): Library {
  const mounts = mountsOf(sources);
  return {
    async notes(scope, inquiry) {
      const answers = await askAll(
        mounts.parts(scope, inquiry),
        async ({ source, filter }) => knownNotes(await source.notebook.searcher.files(inquiry), filter),
        inquiry,
      );
      return answers
        .flatMap(({ part, answer }) =>
          answer.map((file) => ({
            ...knownNote(file),
            sourcePath: mounts.sourcePath(part.source, file.path),
          })),
        )
        .sort((a, b) => (a.sourcePath < b.sourcePath ? -1 : 1));
    },
    async read(sourcePath, asking) {
      asking?.signal?.throwIfAborted();
      const wanted = parseNotePath(sourcePath);
      const place = mounts.find(wanted);
      if (!place || !isTextNote(place.path)) throw missing(wanted, hintFor(wanted, sources));
      const { notes } = place.source.notebook;
      const name = (path: NotePath) => mounts.sourcePath(place.source, path);
      try {
        const note = await suggestingWhenMissing(notes, place.path, () => notes.read(place.path));
        return await sourceNote(note, name(note.path));
      } catch (error) {
        if (!isAppError(error, 'not_found')) throw error;
        throw missing(name(place.path) as NotePath, error.hint);
      }
    },
  };
}

function hintFor(path: NotePath, sources: readonly Source[]): string {
  if (!isTextNote(path)) return 'Only .md, .markdown and .txt files are read here.';
  return `Begin the path with the name of a notebook: ${sources.map(({ name }) => name).join(', ')}.`;
}

function knownNotes(files: readonly KnownFile[], filter: SearchFilter): KnownFile[] {
  const fits = createFileFilter(filter);
  return files.filter((file) => fits(file, () => file.tags));
}

function knownNote({ tags, lastModified, size }: KnownFile): Omit<KnownNote, 'sourcePath'> {
  return { tags, lastModified, size };
}

/** A note as it was read; `text` where that is known already. */
export async function sourceNote(
  note: Pick<Note, 'path' | 'bytes' | 'lastModified' | 'size'>,
  sourcePath: string,
  text = textOf(note),
): Promise<SourceNote> {
  const { data, body } = isMarkdown(note.path) ? await parseFrontmatter(text) : { data: {}, body: text };
  return {
    sourcePath,
    title: titleOf(note.path, data, isMarkdown(note.path) ? body : ''),
    tags: tagsOf(text, data),
    lastModified: note.lastModified,
    size: note.size,
    text,
  };
}

function tagsOf(text: string, data: Record<string, unknown>): string[] {
  const inFrontmatter = ['tags', 'tag'].flatMap((key) => readListKey(data, key)).map(normalizeTag);
  const inText = text.length <= LARGEST_SCANNED ? scanInlineTags(text).map(({ tag }) => tag) : [];
  return [...new Set([...inFrontmatter, ...inText])].filter((tag) => tag !== '');
}
