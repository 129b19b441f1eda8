/**
 * The notes right below a note, in tree order, in one request instead of one for each. Trilium ignores a filter it
 * does not like (below the root it ignores the depth), so only notes that claim the parent as theirs are taken.
 */

import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { isAppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import { isSystemId } from './wire/ids.ts';
import type { SearchRequest } from './wire/system.ts';
import type { CallOptions, TriliumNote } from './wire/types.ts';

/** True of every note. */
export const EVERY_NOTE = "note.noteId != ''";
const PARALLEL = 8;

export async function childrenOf(
  client: Pick<TriliumClient, 'notes' | 'search'>,
  parent: TriliumNote,
  options?: CallOptions,
): Promise<TriliumNote[]> {
  const isSystem = isSystemId(parent.noteId);
  const ids = parent.childNoteIds.filter((id) => isSystem || !isSystemId(id));
  // Trilium's own part of the tree is in no search.
  if (ids.length <= 1 || isSystem) return notesOf(client, ids, options);
  const { results } = await client.search(
    { ...rightBelow(parent.noteId), fastSearch: true, includeArchivedNotes: true },
    options,
  );
  const found = results.filter(
    ({ noteId, parentNoteIds }) => parentNoteIds.includes(parent.noteId) && !isSystemId(noteId),
  );
  const present = new Set(found.map(({ noteId }) => noteId));
  const missing = ids.filter((id) => !present.has(id));
  const places = new Map(ids.map((id, at) => [id, at]));
  return [...found, ...(await notesOf(client, missing, options))].sort(
    (a, b) => (places.get(a.noteId) ?? ids.length) - (places.get(b.noteId) ?? ids.length),
  );
}

function rightBelow(noteId: string): Pick<SearchRequest, 'search' | 'ancestorNoteId' | 'ancestorDepth'> {
  return noteId === 'root'
    ? { search: "note.parents.noteId = 'root'" }
    : { search: EVERY_NOTE, ancestorNoteId: noteId, ancestorDepth: 'eq1' };
}

/** One request for each; those that are gone by now are left out. */
export async function notesOf(
  { notes }: Pick<TriliumClient, 'notes'>,
  ids: readonly string[],
  options?: CallOptions,
): Promise<TriliumNote[]> {
  const read = (id: string) =>
    notes.get(id, options).catch((error: unknown) => {
      if (isAppError(error, 'not_found')) return undefined;
      throw error;
    });
  const found = await mapConcurrently(ids, PARALLEL, read, options?.signal);
  return found.filter((note) => note !== undefined);
}
