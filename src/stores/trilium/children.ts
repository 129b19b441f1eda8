/** The notes right below a note, in tree order, in one request instead of one for each. */
import { pooled } from '../../shared/pooled.ts';
import type { TriliumClient } from './client.ts';
import { isSystemId } from './wire/ids.ts';
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
  if (ids.length <= 1 || isSystem)
    // Trilium's own part of the tree is in no search.
    return pooled(ids, PARALLEL, (id) => client.notes.get(id, options), options?.signal);
  const { results } = await client.search(
    {
      search: EVERY_NOTE,
      ancestorNoteId: parent.noteId,
      ancestorDepth: 'eq1',
      fastSearch: true,
      includeArchivedNotes: true,
    },
    options,
  );
  const places = new Map(ids.map((id, at) => [id, at]));
  return results
    .filter(({ noteId }) => isSystem || !isSystemId(noteId))
    .sort((a, b) => (places.get(a.noteId) ?? ids.length) - (places.get(b.noteId) ?? ids.length));
}
