/** The trash for pages: `_trash/YYYY-MM/<path>`, with the moment in the name when that one is taken. */
import { AppError, isAppError } from '../../shared/errors.ts';
import { isPagePath } from '../page-path.ts';
import { type NotePath, pathKey } from '../path.ts';
import type { NoteMeta, NoteStore } from '../store.ts';
import { relocate } from './links.ts';

export const TRASH = '_trash' as NotePath;

const EXTENSION = /\.[^./]+$/;

/** In any letter case, because some file systems ignore it. */
export function isTrashed(path: string): boolean {
  // Asked of every note: hardly any path begins so.
  return path.startsWith('_') && pathKey(path).startsWith(`${TRASH}/`);
}

export function trashPathOf(path: NotePath, now: number): NotePath {
  return `${TRASH}/${monthOf(now)}/${path}` as NotePath;
}

/** For a second page of the same name in the same month. */
export function stampedPath(path: NotePath, now: number): NotePath {
  const extension = EXTENSION.exec(path)?.[0] ?? '';
  return `${path.slice(0, path.length - extension.length)}-${now}${extension}` as NotePath;
}

interface TrashedPage {
  readonly path: NotePath;
  /** Where it stood. */
  readonly original: NotePath;
  /** `YYYY-MM`. */
  readonly month: string;
  /** Milliseconds since 1970, if the name has a time. */
  readonly deletedAt?: number;
}

/**
 * A name may end in digits of its own, so a stamp is one only when it is a moment of that month and a page
 * without it is, or was just now, beside it: `isThere` says so.
 */
export function parseTrashPath(
  path: NotePath,
  isThere: (path: NotePath) => boolean,
): TrashedPage | undefined {
  const [, month, original] = /^_trash\/(\d{4}-\d{2})\/(.+)$/.exec(path) ?? [];
  if (month === undefined || original === undefined) return undefined;
  const [, stem, stamp, extension] = /^(.+)-(\d{12,14})(\.md)$/i.exec(original) ?? [];
  const unstamped = `${stem}${extension}` as NotePath;
  if (
    stamp !== undefined &&
    monthOf(Number(stamp)) === month &&
    isThere(`${TRASH}/${month}/${unstamped}` as NotePath)
  )
    return { path, original: unstamped, month, deletedAt: Number(stamp) };
  return { path, original: original as NotePath, month };
}

function monthOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 7);
}

export type TrashedNote = TrashedPage & Pick<NoteMeta, 'lastModified' | 'size'>;

/** The latest first. */
export async function listTrash(store: NoteStore, signal?: AbortSignal): Promise<TrashedNote[]> {
  return trashedAmong(await store.list({ signal }));
}

/** The pages in the trash among these, the latest first. */
export function trashedAmong(
  metas: readonly Pick<NoteMeta, 'path' | 'lastModified' | 'size'>[],
): TrashedNote[] {
  const below = metas.filter(({ path }) => path.startsWith(`${TRASH}/`) && isPagePath(path));
  const paths = new Set(below.map(({ path }) => path));
  const entryOf = ({ path, lastModified, size }: (typeof metas)[number]): TrashedNote[] => {
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

const MAX_TRIES = 20;

/** Moves a note to the trash, never over what is there already. Resolves to where it went. */
export async function trashNote(
  store: NoteStore,
  path: NotePath,
  now: number,
  signal?: AbortSignal,
): Promise<NotePath> {
  const plain = trashPathOf(path, now);
  for (let attempt = 0; ; attempt++) {
    const target = attempt === 0 ? plain : stampedPath(plain, now + attempt - 1);
    try {
      await relocate(store, path, target, signal);
      return target;
    } catch (error) {
      if (!isAppError(error, 'already_exists') || attempt === MAX_TRIES) throw error;
    }
  }
}
