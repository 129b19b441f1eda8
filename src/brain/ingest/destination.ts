/** Destination and text of an ingested note. Hidden paths, paths outside the notebooks and other file types are refused. */

import { mergeFrontmatter } from '../../notes/frontmatter/edit.ts';
import { readListKey } from '../../notes/frontmatter/lists.ts';
import { parseFrontmatter } from '../../notes/frontmatter/parse.ts';
import { bodyStartOf } from '../../notes/frontmatter/split.ts';
import { joinBlocks } from '../../notes/insert-block.ts';
import {
  extensionOf,
  joinPath,
  type NotePath,
  nameOf,
  parseFolderPath,
  parseNotePath,
} from '../../notes/path.ts';
import { PathFilter } from '../../notes/path-filter.ts';
import { AppError } from '../../shared/errors.ts';
import { nearest } from '../../shared/nearest.ts';
import { type MountedPath, type Mounts, mountsOf } from '../retrieve/library.ts';
import { type Source, TEXT_EXTENSIONS } from '../types.ts';

export interface Destination {
  readonly source: Source;
  readonly path: NotePath;
  /** Begins with the notebook's name when there are several. */
  readonly sourcePath: string;
}

const DEFAULT_FOLDER = 'inbox' as NotePath;

/** `dest` is a folder or a note; `name` is the file name when it is a folder. */
export function destinationOf(
  sources: readonly Source[],
  dest: string | undefined,
  name: string,
): Destination {
  const mounts = mountsOf(sources);
  const { source, path: inside } =
    dest === undefined ? firstWritable(sources) : namedIn(sources, mounts, dest);
  if (!source.writable)
    throw new AppError('read_only', 'Notebook is read-only', {
      subject: source.name,
      hint: 'It is served without the right to change notes. Name another notebook in dest.',
    });
  const path = isNote(inside, dest) ? parseNotePath(inside) : joinPath(inside, name);
  assertVisible(path);
  return { source, path, sourcePath: mounts.sourcePath(source, path) };
}

function firstWritable(sources: readonly Source[]): MountedPath {
  const source = sources.find(({ writable }) => writable);
  if (source) return { source, path: DEFAULT_FOLDER };
  throw new AppError('read_only', 'No notebook may be written to', {
    hint: 'All notebooks are read-only. The operator can change that.',
  });
}

function namedIn(sources: readonly Source[], mounts: Mounts, dest: string): MountedPath {
  const folder = parseFolderPath(dest);
  const place = mounts.find(folder);
  if (place) return place;
  const [name = ''] = folder.split('/');
  const names = sources.map((one) => one.name);
  const near = nearest(name, names);
  throw new AppError('not_found', 'No such notebook', {
    subject: name.slice(0, 200),
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}dest begins with the name of a notebook: ${names.join(', ')}.`,
  });
}

/** Throws when `dest` has the extension of another file type: a folder is not meant by that either. */
function isNote(inside: NotePath, dest = ''): boolean {
  const extension = extensionOf(inside);
  if (/[/\\]\s*$/.test(dest) || !/^\.[a-z][a-z\d]{0,9}$/.test(extension)) return false;
  if (TEXT_EXTENSIONS.includes(extension)) return true;
  throw new AppError('invalid_input', 'Not a note', {
    subject: nameOf(inside),
    hint: `Name a ${TEXT_EXTENSIONS.join(', ')} file, or a folder with a "/" at its end.`,
  });
}

function assertVisible(path: NotePath): void {
  if (!new PathFilter().isHidden(path)) return;
  throw new AppError('forbidden', 'Access denied', {
    subject: path,
    hint: 'Hidden files and folders are not part of the notebook.',
  });
}

export interface Addition {
  readonly content: string;
  readonly title?: string;
  readonly tags: readonly string[];
  /** ISO time, for the frontmatter of a new note. */
  readonly created: string;
}

/** The text of a whole note. `before` is the text it replaces, whose `created` is kept. */
export async function wholeText(
  { content, title, tags, created }: Addition,
  before?: string,
): Promise<string> {
  const own = (await parseFrontmatter(content)).data;
  const madeAt = before === undefined ? created : (await parseFrontmatter(before)).data.created;
  return mergeFrontmatter(content, {
    ...(title !== undefined && { title }),
    ...(tags.length > 0 && { tags: Array.isArray(own.tags) ? tags : union(listOf(own.tags), tags) }),
    ...(own.created === undefined && madeAt !== undefined && { created: madeAt }),
  });
}

/** `before` with the content at its end, unless it has it already. Of the content's frontmatter only tags are merged. */
export async function appendedText({ content, tags }: Addition, before: string): Promise<string> {
  const { body: addition, data: own } = await parseFrontmatter(content);
  const there = (await parseFrontmatter(before)).data.tags;
  const wanted = union(readListKey(own, 'tags'), tags);
  const all = Array.isArray(there) ? wanted : union(listOf(there), wanted);
  const tagged = wanted.length === 0 ? before : await mergeFrontmatter(before, { tags: all });
  const start = bodyStartOf(tagged);
  const body = tagged.slice(start);
  if (holds(body, addition)) return tagged;
  const text = tagged.slice(0, start) + joinBlocks(body, addition, 'after');
  if (bodyStartOf(text) === start) return text;
  throw new AppError('invalid_input', 'The text would become frontmatter', {
    hint: 'Nothing was changed. The note begins with a --- line that the text would close. Put it into another note.',
  });
}

/** Whether `body` contains `piece` as whole lines, whatever the line endings. */
export function holds(body: string, piece: string): boolean {
  const lines = (text: string) => `\n${text.replace(/\r\n?/g, '\n').replace(/^\n+|\n+$/g, '')}\n`;
  return lines(body).includes(lines(piece));
}

/** Tags written as one word, or as words with commas between. */
function listOf(tags: unknown): string[] {
  return typeof tags === 'string' ? tags.split(',').flatMap((tag) => tag.trim() || []) : [];
}

function union(old: readonly string[], added: readonly string[]): string[] {
  return [...new Set([...old, ...added])];
}
