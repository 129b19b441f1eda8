/** All mounted notebooks as one library. With several notebooks, a path begins with its notebook's name. */

import { readListKey } from '../../notes/frontmatter/lists.ts';
import { parseFrontmatter } from '../../notes/frontmatter/parse.ts';
import { outlineOf, titleOf } from '../../notes/markdown/outline.ts';
import { missing, suggestingWhenMissing } from '../../notes/ops/read-note.ts';
import { type NotePath, parseFolderPath, parseNotePath, ROOT } from '../../notes/path.ts';
import { createFileFilter } from '../../notes/path-filter.ts';
import type { FileEntry, SearchFilter, SearchOptions } from '../../notes/searcher.ts';
import type { Note } from '../../notes/store.ts';
import { normalizeTag, scanInlineTags } from '../../notes/tags.ts';
import { textOf } from '../../notes/text/text.ts';
import { isAppError } from '../../shared/errors.ts';
import {
  isMarkdown,
  isTextNote,
  type Library,
  type SearchScope,
  type Source,
  type SourceNote,
  TEXT_EXTENSIONS,
} from '../types.ts';

export interface MountedPath {
  readonly source: Source;
  readonly path: NotePath;
}

/** A notebook and a filter for its notes. */
export interface MountedNotebook {
  readonly source: Source;
  readonly filter: SearchFilter;
}

export type Mounts = ReturnType<typeof mountsOf>;

export function mountsOf(sources: readonly Source[]) {
  const [only] = sources;
  const isAlone = sources.length === 1;
  /** Undefined when the path begins with no notebook's name. */
  const find = (sourcePath: string): MountedPath | undefined => {
    if (isAlone && only) return { source: only, path: sourcePath as NotePath };
    const slash = sourcePath.indexOf('/');
    const name = slash < 0 ? sourcePath : sourcePath.slice(0, slash);
    const source = sources.find((each) => each.name === name);
    return source && { source, path: (slash < 0 ? ROOT : sourcePath.slice(slash + 1)) as NotePath };
  };
  return {
    sourcePath: (source: Source, path: NotePath) => (isAlone ? path : `${source.name}/${path}`),
    find,
    /** The notebooks of the scope; warns when there are none. */
    parts(scope: SearchScope, options?: SearchOptions): MountedNotebook[] {
      const prefix = parseFolderPath(scope.pathPrefix ?? '');
      if (prefix === ROOT) return sources.map((source) => ({ source, filter: filterOf(scope, ROOT) }));
      const place = find(prefix);
      if (place) return [{ source: place.source, filter: filterOf(scope, place.path) }];
      const names = sources.map(({ name }) => name).join(', ');
      options?.onWarning?.(`No notebook has notes under "${prefix}". The notebooks are: ${names}.`);
      return [];
    },
  };
}

function filterOf({ tags = [], since, until }: SearchScope, under: NotePath): SearchFilter {
  return {
    extensions: TEXT_EXTENSIONS,
    under: under !== ROOT ? under : undefined,
    tags: tags.length > 0 ? tags : undefined,
    modifiedAfter: since,
    modifiedBefore: until,
  };
}

/** Asks all notebooks at once. A failing one is left out with a warning; throws when all fail. */
export async function askAll<Answer>(
  parts: readonly MountedNotebook[],
  ask: (part: MountedNotebook) => Promise<Answer>,
  options: SearchOptions = {},
): Promise<{ readonly part: MountedNotebook; readonly answer: Answer }[]> {
  const outcomes = await Promise.allSettled(parts.map(ask));
  options.signal?.throwIfAborted();
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
  if (failures.length > 0 && failures.length === parts.length) throw failures[0]?.reason;
  return outcomes.flatMap((outcome, at) => {
    const part = parts[at]!;
    if (outcome.status === 'fulfilled') return [{ part, answer: outcome.value }];
    options.onWarning?.(`The notebook "${part.source.name}" is left out: ${problemOf(outcome.reason)}.`);
    return [];
  });
}

function problemOf(error: unknown): string {
  return isAppError(error) ? error.title : 'it could not be read';
}

/** Longer notes are taken for data: only tags of their frontmatter count. */
const LARGEST_SCANNED = 1024 * 1024;

export function openLibrary(sources: readonly Source[]): Library {
  const mounts = mountsOf(sources);
  return {
    async notes(scope, options) {
      const answers = await askAll(
        mounts.parts(scope, options),
        async ({ source, filter }) => notesIn(await source.notebook.searcher.files(options), filter),
        options,
      );
      return answers
        .flatMap(({ part, answer }) =>
          answer.map(({ path, tags, lastModified, size }) => ({
            sourcePath: mounts.sourcePath(part.source, path),
            tags,
            lastModified,
            size,
          })),
        )
        .sort((a, b) => (a.sourcePath < b.sourcePath ? -1 : 1));
    },
    async read(sourcePath, options) {
      options?.signal?.throwIfAborted();
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

/** Undefined for a note that is gone or is not text. */
export async function readIfText(
  library: Library,
  sourcePath: string,
  options?: SearchOptions,
): Promise<SourceNote | undefined> {
  try {
    return await library.read(sourcePath, options);
  } catch (error) {
    if (isAppError(error, 'not_found') || isAppError(error, 'unsupported')) return undefined;
    throw error;
  }
}

function hintFor(path: NotePath, sources: readonly Source[]): string {
  if (!isTextNote(path)) return 'Only .md, .markdown and .txt files are read here.';
  return `Begin the path with the name of a notebook: ${sources.map(({ name }) => name).join(', ')}.`;
}

function notesIn(files: readonly FileEntry[], filter: SearchFilter): FileEntry[] {
  const fits = createFileFilter(filter);
  return files.filter((file) => fits(file, () => file.tags));
}

/** `text` is the decoded text of `note`, where the caller has it already. */
export async function sourceNote(
  note: Pick<Note, 'path' | 'bytes' | 'lastModified' | 'size'>,
  sourcePath: string,
  text = textOf(note),
): Promise<SourceNote> {
  const { data } = isMarkdown(note.path) ? await parseFrontmatter(text) : { data: {} };
  const outline = isMarkdown(note.path) ? outlineOf(text.slice(0, LARGEST_SCANNED)) : [];
  return {
    sourcePath,
    title: titleOf(note.path, data, outline),
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
