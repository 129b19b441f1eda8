/** How far below the root notes are. Trilium ignores a depth below the root, so it is looked at here. */
import { EVERY_NOTE } from '../children.ts';
import type { TriliumClient } from '../client.ts';
import type { CallOptions, TriliumNote } from '../wire/types.ts';

/** Of every note that has a way up to the root, the shortest one. */
async function depthsBelowRoot(
  { search }: Pick<TriliumClient, 'search'>,
  options?: CallOptions,
): Promise<ReadonlyMap<string, number>> {
  const { results } = await search(
    { search: EVERY_NOTE, fastSearch: true, includeArchivedNotes: true },
    options,
  );
  const below = new Map<string, string[]>();
  for (const { noteId, parentNoteIds } of results)
    for (const parent of parentNoteIds) below.set(parent, [...(below.get(parent) ?? []), noteId]);
  const depths = new Map([['root', 0]]);
  for (const [noteId, depth] of depths)
    for (const child of below.get(noteId) ?? []) if (!depths.has(child)) depths.set(child, depth + 1);
  return depths;
}

/** Those of the notes that are as far below the root as `eq1`, `lt3` or `gt2` says. */
export async function atDepth(
  client: Pick<TriliumClient, 'search'>,
  notes: readonly TriliumNote[],
  wanted: string,
  options?: CallOptions,
): Promise<TriliumNote[]> {
  const [, kind, digits] = /^(eq|lt|gt)(\d+)$/.exec(wanted) ?? [];
  const number = Number(digits);
  if (kind === 'eq' && number === 1)
    return notes.filter(({ parentNoteIds }) => parentNoteIds.includes('root'));
  const depths = await depthsBelowRoot(client, options);
  return notes.filter(({ noteId }) => {
    const depth = depths.get(noteId);
    if (depth === undefined) return false;
    return kind === 'eq' ? depth === number : kind === 'lt' ? depth < number : depth > number;
  });
}
