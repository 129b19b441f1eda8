/**
 * Maps titles to path segments and back. A text note is `<title>.md`, any other note its title; a note with children
 * (or of type book) is also a folder. Characters that a path cannot hold are percent-encoded: `/`, `\`, control
 * characters, spaces at either end, the dots of `.` and `..`, and a `%` that would be read as an escape. Among notes
 * of one folder with equal names the oldest keeps the name; the others, and notes without a usable title, get their
 * id: `Title ~<note id>.md`. So a name changes only when its own note does.
 */
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import { quoted } from './search/validate.ts';
import { isSystemId, type TriliumNote } from './wire/entities.ts';

/** Bytes. File systems allow 255, and the id needs room. */
const MAX_NAME = 180;
const MARKDOWN = '.md';

export function segmentOf(title: string): string {
  const dots = title === '.' || title === '..';
  return title
    .toWellFormed()
    .replace(/%(?=[0-9A-Fa-f]{2})|[/\\\p{Cc}\u2028\u2029]|^\s|\s$|^[A-Za-z]:/gu, (found) =>
      found.length === 2 ? `${found[0]}%3A` : escaped(found),
    )
    .replace(/^\.+$/, (found) => (dots ? '%2E'.repeat(found.length) : found));
}

function escaped(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

export function titleOf(segment: string): string {
  return segment.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      // Not an escape sequence: kept literally.
      return run;
    }
  });
}

/** The listed spelling of a title. */
export function canonical(segment: string): string {
  return segmentOf(titleOf(segment));
}

interface NewName {
  readonly title: string;
  readonly isMarkdown: boolean;
}

export function readFileName(name: string): NewName {
  const isMarkdown = name.endsWith(MARKDOWN) && name.length > MARKDOWN.length;
  return { title: titleOf(isMarkdown ? name.slice(0, -MARKDOWN.length) : name), isMarkdown };
}

export interface Names {
  readonly files: ReadonlyMap<string, TriliumNote>;
  readonly folders: ReadonlyMap<string, TriliumNote>;
}

/** Names of the notes of one folder. */
export function namesOf(notes: readonly TriliumNote[]): Names {
  return {
    files: distinct(notes.filter(isFile), (note) => (isMarkdown(note) ? MARKDOWN : extensionOf(note.title))),
    folders: distinct(notes.filter(isFolder), () => ''),
  };
}

export const isMarkdown = ({ type }: TriliumNote): boolean => type === 'text';

/** Protected notes cannot be read, and books have no content. */
const isFile = ({ type, isProtected }: TriliumNote): boolean => type !== 'book' && !isProtected;

function isFolder(note: TriliumNote): boolean {
  return note.type === 'book' || hasChildren(note);
}

export function hasChildren({ childNoteIds }: TriliumNote): boolean {
  return childNoteIds.some((id) => !isSystemId(id));
}

function distinct(
  notes: readonly TriliumNote[],
  extension: (note: TriliumNote) => string,
): ReadonlyMap<string, TriliumNote> {
  const names = new Map<string, TriliumNote>();
  const byAge = [...notes].sort(
    (a, b) => compare(a.utcDateCreated, b.utcDateCreated) || compare(a.noteId, b.noteId),
  );
  for (const note of byAge) {
    const ending = extension(note);
    const stem = segmentOf(
      isMarkdown(note) || ending === '' ? note.title : note.title.slice(0, -ending.length),
    );
    const plain = `${stem}${ending}`;
    const isUsable = stem !== '' && Buffer.byteLength(plain) <= MAX_NAME && !names.has(plain);
    names.set(isUsable ? plain : `${shortened(stem)} ~${note.noteId}${ending}`.trimStart(), note);
  }
  return names;
}

/** The extension of a title that is a file name. */
function extensionOf(title: string): string {
  return /.(\.[A-Za-z0-9]{1,10})$/s.exec(title)?.[1] ?? '';
}

function shortened(stem: string): string {
  let text = stem;
  while (Buffer.byteLength(text) > MAX_NAME - 60) text = text.slice(0, -10).toWellFormed();
  return text;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Refuses the root and Trilium's system notes, which ETAPI would let any caller rename and overwrite. */
export function assertNotOwn(noteId: string): void {
  if (noteId !== 'root' && !isSystemId(noteId)) return;
  throw new AppError('forbidden', 'This note cannot be changed', {
    subject: noteId,
    hint: "The root and Trilium's own notes (ids that begin with _) keep their title and content. Make a note below the root instead; nothing was written.",
  });
}

/** Per text; further links are left as text. */
const MAX_TITLES = 100;
/** Bound on the query, which is part of a URL. */
const MAX_QUERY_LENGTH = 3_000;
const MAX_TITLE_LENGTH = 200;
const LINK = /\[\[([^[\]\n]{1,1000})\]\]/g;

/**
 * Resolves links by title (`[[Title]]`) to the ids of notes whose title is unique. Sends no request if the text
 * has no such link.
 */
export async function linkedNotes(
  client: Pick<TriliumClient, 'search'>,
  markdown: string,
): Promise<ReadonlyMap<string, string>> {
  const titles = titlesIn(markdown);
  const found = new Map<string, Set<string>>();
  for (const search of queriesFor(titles)) {
    const { results } = await client.search({ search, fastSearch: true, includeArchivedNotes: true });
    // Trilium compares case-insensitively, and may return more than was requested.
    for (const { title, noteId } of results) {
      if (!titles.has(title) || isSystemId(noteId)) continue;
      const ids = found.get(title) ?? new Set();
      found.set(title, ids.add(noteId));
    }
  }
  return new Map([...found].flatMap(([title, ids]) => (ids.size === 1 ? [[title, [...ids][0]!]] : [])));
}

function titlesIn(markdown: string): ReadonlySet<string> {
  const titles = new Set<string>();
  for (const [, written] of markdown.matchAll(LINK)) {
    const title = written!.trim();
    if (title !== '' && title.length <= MAX_TITLE_LENGTH) titles.add(title);
    if (titles.size >= MAX_TITLES) break;
  }
  return titles;
}

function queriesFor(titles: ReadonlySet<string>): string[] {
  const queries: string[] = [];
  for (const title of titles) {
    const condition = `note.title = ${quoted(title)}`;
    const last = queries[queries.length - 1];
    if (last !== undefined && last.length + condition.length < MAX_QUERY_LENGTH)
      queries[queries.length - 1] = `${last} OR ${condition}`;
    else queries.push(condition);
  }
  return queries;
}
