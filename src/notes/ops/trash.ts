/** What is in the trash, and the way back out of it. */
import { AppError } from '../../shared/errors.ts';
import { isPagePath } from '../page-path.ts';
import type { NotePath } from '../path.ts';
import type { NoteMeta, NoteStore } from '../store.ts';
import { parseTrashPath, TRASH, type TrashedPage } from '../trash-path.ts';

export interface TrashedNote extends TrashedPage {
  readonly lastModified: number;
  readonly size: number;
}

/** The latest first. */
export async function listTrash(store: NoteStore, signal?: AbortSignal): Promise<TrashedNote[]> {
  const metas = await store.list({ ...(signal && { signal }) });
  const below = metas.filter(({ path }) => path.startsWith(`${TRASH}/`) && isPagePath(path));
  const paths = new Set(below.map(({ path }) => path));
  const entryOf = ({ path, lastModified, size }: NoteMeta): TrashedNote[] => {
    const parsed = parseTrashPath(path, (other) => paths.has(other));
    return parsed ? [{ ...parsed, lastModified, size }] : [];
  };
  return below.flatMap(entryOf).sort(byDeletion);
}

/** The page at this path of the trash, or else the latest one that stood at this path. */
export function findInTrash(trashed: readonly TrashedNote[], wanted: NotePath): TrashedNote {
  const found =
    trashed.find(({ path }) => path === wanted) ?? trashed.find(({ original }) => original === wanted);
  if (found) return found;
  throw new AppError('not_found', 'Not in the trash', {
    subject: wanted,
    hint: 'list_trash shows what is there.',
    details: { path: wanted },
  });
}

function byDeletion(a: TrashedNote, b: TrashedNote): number {
  if (a.month !== b.month) return a.month < b.month ? 1 : -1;
  return (
    (b.deletedAt ?? 0) - (a.deletedAt ?? 0) || b.lastModified - a.lastModified || (a.path < b.path ? -1 : 1)
  );
}
