/** The notes of a Trilium as a tree of paths. */
import { joinPath, type NotePath, nameOf, parentOf, ROOT } from '../../notes/path.ts';
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { AppError } from '../../shared/errors.ts';
import type { SearchRequest, TriliumClient } from './client.ts';
import { canonical, isMarkdown, type Names, namesOf, readFileName } from './names.ts';
import { isSystemId, type TriliumNote } from './wire/entities.ts';
import { ifFound } from './wire/errors.ts';

/** A query that every note matches. */
export const EVERY_NOTE = "note.noteId != ''";
const PARALLEL = 8;

/**
 * The children of a note in tree order, by one search instead of a request each. Trilium ignores filters it
 * cannot apply (the depth below the root, for one), so only notes that list the parent are taken.
 */
export async function childrenOf(
  client: Pick<TriliumClient, 'notes' | 'search'>,
  parent: TriliumNote,
): Promise<TriliumNote[]> {
  const isSystem = isSystemId(parent.noteId);
  const ids = parent.childNoteIds.filter((id) => isSystem || !isSystemId(id));
  // System notes are not found by searches.
  if (ids.length <= 1 || isSystem) return notesOf(client, ids);
  const { results } = await client.search({
    ...rightBelow(parent.noteId),
    fastSearch: true,
    includeArchivedNotes: true,
  });
  const found = results.filter(
    ({ noteId, parentNoteIds }) => parentNoteIds.includes(parent.noteId) && !isSystemId(noteId),
  );
  const present = new Set(found.map(({ noteId }) => noteId));
  const missing = ids.filter((id) => !present.has(id));
  const places = new Map(ids.map((id, at) => [id, at]));
  return [...found, ...(await notesOf(client, missing))].sort(
    (a, b) => (places.get(a.noteId) ?? ids.length) - (places.get(b.noteId) ?? ids.length),
  );
}

function rightBelow(noteId: string): Pick<SearchRequest, 'search' | 'ancestorNoteId' | 'ancestorDepth'> {
  return noteId === 'root'
    ? { search: "note.parents.noteId = 'root'" }
    : { search: EVERY_NOTE, ancestorNoteId: noteId, ancestorDepth: 'eq1' };
}

/** One request for each id; notes that no longer exist are left out. */
async function notesOf(
  { notes }: Pick<TriliumClient, 'notes'>,
  ids: readonly string[],
): Promise<TriliumNote[]> {
  const found = await mapConcurrently(ids, PARALLEL, (id) => ifFound(notes.get(id)));
  return found.filter((note) => note !== undefined);
}

type Client = Pick<TriliumClient, 'notes' | 'search'>;

/** A note, and the parent it was reached through. */
export interface PlacedNote {
  readonly note: TriliumNote;
  readonly parentNoteId: string;
}

export function createTree(client: Client, rootNoteId: string) {
  const names = async (folder: TriliumNote) => namesOf(await childrenOf(client, folder));

  const folder = async (path: NotePath): Promise<TriliumNote | undefined> => {
    let at: TriliumNote | undefined = await client.notes.get(rootNoteId);
    for (const segment of path === ROOT ? [] : path.split('/')) {
      if (at === undefined) return undefined;
      at = lookUp((await names(at)).folders, segment);
    }
    return at;
  };

  return {
    names,
    folder,
    /** Every file of every folder, by one search where that is complete. */
    files: async (): Promise<Map<NotePath, TriliumNote>> => {
      const { results } = await client.search({
        search: EVERY_NOTE,
        ancestorNoteId: rootNoteId,
        fastSearch: true,
        includeArchivedNotes: true,
      });
      const notes = new Map(results.map((note) => [note.noteId, note]));
      const root = notes.get(rootNoteId) ?? (await client.notes.get(rootNoteId));
      await fillGaps(client, root, notes);
      return walk(root, notes);
    },
    find: async (path: NotePath): Promise<PlacedNote | undefined> => {
      const parent = await folder(parentOf(path));
      if (!parent) return undefined;
      const note = lookUp((await names(parent)).files, nameOf(path));
      return note && { note, parentNoteId: parent.noteId };
    },
    /** Creates a missing folder: a text note of that title becomes the folder, otherwise a book is created. */
    ensureFolder: async (path: NotePath): Promise<TriliumNote> => {
      let at = await client.notes.get(rootNoteId);
      for (const segment of path === ROOT ? [] : path.split('/'))
        at = await ensureChild(client, at, segment, await names(at));
      return at;
    },
  };
}

function lookUp(names: ReadonlyMap<string, TriliumNote>, name: string): TriliumNote | undefined {
  return names.get(name) ?? names.get(canonical(name));
}

async function ensureChild(
  { notes }: Client,
  parent: TriliumNote,
  segment: string,
  { files, folders }: Names,
): Promise<TriliumNote> {
  const present = lookUp(folders, segment) ?? lookUp(files, `${segment}.md`);
  if (present) return present;
  const { title } = readFileName(segment);
  const { note } = await notes.create({ parentNoteId: parent.noteId, title, type: 'book', content: '' });
  return note;
}

/** Reads the notes that the search left out. */
async function fillGaps(client: Client, root: TriliumNote, notes: Map<string, TriliumNote>): Promise<void> {
  const seen = new Set([root.noteId]);
  let level = [root];
  while (level.length > 0) {
    const ids = [...new Set(level.flatMap(({ childNoteIds }) => childNoteIds))].filter(
      (id) => !isSystemId(id) && !seen.has(id),
    );
    for (const id of ids) seen.add(id);
    const missing = ids.filter((id) => !notes.has(id));
    for (const note of await notesOf(client, missing)) notes.set(note.noteId, note);
    level = ids.flatMap((id) => notes.get(id) ?? []);
  }
}

function walk(root: TriliumNote, notes: ReadonlyMap<string, TriliumNote>): Map<NotePath, TriliumNote> {
  const found = new Map<NotePath, TriliumNote>();
  const visit = (folder: TriliumNote, path: NotePath, above: ReadonlySet<string>) => {
    const children = folder.childNoteIds
      .flatMap((id) => (isSystemId(id) ? [] : (notes.get(id) ?? [])))
      .filter(({ parentNoteIds }) => parentNoteIds.includes(folder.noteId));
    const { files, folders } = namesOf(children);
    for (const [name, note] of files) found.set(joinPath(path, name), note);
    for (const [name, note] of folders)
      if (!above.has(note.noteId)) visit(note, joinPath(path, name), new Set([...above, note.noteId]));
  };
  visit(root, ROOT, new Set([root.noteId]));
  return found;
}

/** The title for a new name; throws when the name would change the kind of note. */
export function titleFor(note: TriliumNote, name: string): string {
  const { title, isMarkdown: wantsMarkdown } = readFileName(name);
  if (!isMarkdown(note)) return titleOfFile(name);
  if (wantsMarkdown) return title;
  throw new AppError('unsupported', 'A text note stays markdown', {
    subject: name,
    hint: 'Let the new name end in .md.',
  });
}

export function titleOfFile(name: string): string {
  const { title, isMarkdown: endsInMarkdown } = readFileName(name);
  return endsInMarkdown ? `${title}.md` : title;
}
