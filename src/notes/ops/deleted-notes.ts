/**
 * Notes that were deleted and are still there: in the trash that the store keeps out of sight, in `_trash/`, where page
 * tools and SilverBullet put them, and on a server that keeps them by ids of its own.
 */
import { AppError, isAppError } from '../../shared/errors.ts';
import { extensionOf, type NotePath, nameOf, parseNotePath, pathKey, shownPath } from '../path.ts';
import type { SearchOptions } from '../searcher.ts';
import type { Notebook, TrashedFile } from '../store.ts';
import { relocate } from './links.ts';
import { isTrashed, listTrash, type TrashedNote, trashedAmong } from './trash.ts';

export interface DeletedNote extends Pick<TrashedFile, 'path' | 'original' | 'size' | 'lastModified'> {
  readonly deletedAt?: number;
  /** `YYYY-MM`, where no more is known of the time. */
  readonly month?: string;
  /** As the store's own trash has it. */
  readonly file?: TrashedFile;
  /** Of one that a server keeps: its path is this id, what it was called its title, and its size is not known. */
  readonly id?: string;
}

type Trash = Pick<Notebook, 'files' | 'searcher'> & {
  /** A far store writes a copy into its trash, so the copy's time is that of the deletion. */
  readonly copies: boolean;
};

/** The latest first. */
export async function listDeleted(trash: Trash, asking: SearchOptions = {}): Promise<DeletedNote[]> {
  const { files, searcher } = trash;
  if (files.deleted) return (await files.deleted.list()).map(onServer).sort((a, b) => latest(b) - latest(a));
  const [own = [], visible] = await Promise.all([
    files.trash?.list(asking.signal),
    // An index learns of a copy in the trash later than the store, whose listing is in memory, too.
    trash.copies ? listTrash(files, asking.signal) : searcher.notes(asking).then(trashedAmong),
  ]);
  const all = [
    ...own.map((file): DeletedNote => ({ ...file, file })),
    ...visible.map((note) => asDeleted(note, trash.copies)),
  ];
  return all.sort((a, b) => latest(b) - latest(a) || (a.path < b.path ? -1 : 1));
}

function onServer({ id, title, deletedAt }: { id: string; title: string; deletedAt: number }): DeletedNote {
  return {
    id,
    path: id as NotePath,
    original: title as NotePath,
    size: 0,
    lastModified: deletedAt,
    deletedAt,
  };
}

function asDeleted({ month, deletedAt, ...note }: TrashedNote, copies: boolean): DeletedNote {
  const copiedAt = copies && new Date(note.lastModified).toISOString().startsWith(month);
  const known = deletedAt ?? (copiedAt ? note.lastModified : undefined);
  return known === undefined ? { ...note, month } : { ...note, deletedAt: known };
}

/** The last moment at which it can have been deleted. */
function latest({ deletedAt, month }: DeletedNote): number {
  if (deletedAt !== undefined) return deletedAt;
  const [year, number] = (month ?? '').split('-').map(Number);
  return year && number ? Date.UTC(year, number) - 1 : Number.POSITIVE_INFINITY;
}

/** By its path in the trash, the path it had, or its name; the latest of several that stood at one path. */
export function findDeleted(deleted: readonly DeletedNote[], wanted: string): DeletedNote {
  const key = pathKey(wanted.trim().replace(/^\/+/, ''));
  const bare = (path: string) => pathKey(path.slice(0, path.length - extensionOf(path).length));
  const ways: ((note: DeletedNote) => boolean)[] = [
    ({ path }) => path === wanted.trim(),
    ({ original }) => pathKey(original) === key || bare(original) === key,
    ({ original }) => pathKey(nameOf(original)) === key || bare(nameOf(original)) === key,
  ];
  for (const way of ways) {
    const found = deleted.filter(way);
    const places = [...new Set(found.map(({ original }) => original))];
    if (places.length > 1)
      throw new AppError('invalid_input', `"${shownPath(wanted)}" can mean ${places.length} deleted notes`, {
        subject: places.slice(0, 8).join(', ') + (places.length > 8 ? ', …' : ''),
        hint: 'Give the path of the one you mean.',
      });
    if (found[0]) return found[0];
  }
  throw new AppError('not_found', 'Not in the trash', {
    subject: shownPath(wanted),
    hint: 'list_trash shows what is there.',
  });
}

/** Never over what is there. Resolves to where it stands now. */
export async function restoreDeleted(
  { files }: Pick<Notebook, 'files'>,
  deleted: DeletedNote,
  to: string | undefined,
  signal?: AbortSignal,
): Promise<{ readonly path: NotePath; readonly staysInTrash: boolean }> {
  if (deleted.id !== undefined) return restoreOnServer(files, deleted.id, to);
  const path = to === undefined ? deleted.original : targetOf(deleted, to);
  if (!deleted.file) {
    await relocate(files, deleted.path, path, signal).catch((error: unknown) => refuseTaken(error, path));
    return { path, staysInTrash: false };
  }
  const { bytes } = await files.trash!.read(deleted.path);
  const work = files.restore
    ? files.restore(deleted.path, path, bytes)
    : files.write(path, bytes, { ifVersion: null });
  await work.catch((error: unknown) => refuseTaken(error, path));
  return { path, staysInTrash: !files.restore };
}

async function restoreOnServer({ deleted }: Notebook['files'], id: string, to: string | undefined) {
  if (to !== undefined)
    throw new AppError('invalid_input', 'to: the server brings a note back to the place it had', {
      hint: 'Nothing was changed. Leave `to` out, and move the note afterwards.',
    });
  return { path: await deleted!.restore(id), staysInTrash: false };
}

function targetOf({ original }: DeletedNote, to: string): NotePath {
  const target = parseNotePath(to);
  const extension = extensionOf(original);
  if (extensionOf(target) === extension) return target;
  if (extensionOf(target) === '') return (target + extension) as NotePath;
  throw new AppError('invalid_input', 'to has another extension than the deleted note', {
    subject: target,
    hint: `Keep ${extension === '' ? 'it without one' : extension}.`,
  });
}

function refuseTaken(error: unknown, path: NotePath): never {
  if (!isAppError(error, 'already_exists')) throw error;
  throw new AppError('already_exists', 'There is a note at this path', {
    subject: path,
    hint: 'Nothing was changed. Give another path as `to`.',
  });
}

export interface EmptiedTrash {
  readonly deleted: readonly DeletedNote[];
  /** Too young, or of unknown age. */
  readonly kept: number;
  readonly failed: readonly { readonly path: NotePath; readonly error: string }[];
}

/** Deletes for good what was deleted before a moment; each on its own, so that one that fails keeps none of the others. */
export async function purgeDeleted(
  trash: Trash,
  { before, dryRun }: { readonly before: number; readonly dryRun: boolean },
  asking: SearchOptions = {},
): Promise<EmptiedTrash> {
  const all = await listDeleted(trash, asking);
  const old = all.filter((note) => latest(note) <= before);
  const deleted: DeletedNote[] = [];
  const failed: { path: NotePath; error: string }[] = [];
  for (const note of old) {
    asking.signal?.throwIfAborted();
    try {
      if (!dryRun) await purge(trash.files, note);
      deleted.push(note);
    } catch (error) {
      if (!isAppError(error)) throw error;
      failed.push({ path: note.path, error: error.message });
    }
  }
  return { deleted, kept: all.length - old.length, failed };
}

async function purge(files: Notebook['files'], note: DeletedNote): Promise<void> {
  if (note.file) return files.trash!.purge(note.path, note.file);
  if (!isTrashed(note.path)) return;
  const { trashedTo } = await files.remove(note.path);
  const moved = trashedTo && (await files.trash?.list())?.find(({ path }) => path === trashedTo);
  if (moved) await files.trash?.purge(moved.path, moved);
}
