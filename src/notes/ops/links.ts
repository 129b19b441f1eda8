/** Links of one note, and moves of a note that leave links alone. */
import { AppError, isAppError } from '../../shared/errors.ts';
import { type NotePath, pathKey } from '../path.ts';
import type { NoteSearcher, SearchOptions } from '../searcher.ts';
import type { Note, NoteStore } from '../store.ts';
import { readIfThere } from './update-note.ts';

/** Links from other notes to this one, and its own. */
export async function backlinks(searcher: NoteSearcher, path: NotePath, asking?: SearchOptions) {
  const graph = await searcher.links(asking);
  return {
    incoming: graph.incoming(path).filter(({ from }) => from !== path),
    outgoing: graph.outgoing(path),
  };
}

const MAX_TRIES = 5;

/**
 * Gives a note another path, whatever the store can do. Where it cannot move, a copy is made where nothing is,
 * read back and compared, and only then the note removed, if it is still what was copied. At no moment is
 * there less than one whole note; a copy whose note could not be removed is taken away again. Throws `already_exists`
 * for a target that is taken.
 */
export async function relocate(
  store: NoteStore,
  from: NotePath,
  to: NotePath,
  signal?: AbortSignal,
): Promise<void> {
  if (store.move) {
    await store.move(from, to);
    return;
  }
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    const note = await store.read(from);
    const copy = await verifiedCopy(store, note, to);
    const outcome = await removeCopied(store, note);
    if (outcome === 'removed') return;
    // If this fails too, an extra copy is left, and the first error is reported.
    await store.remove(to, { ifVersion: copy.version }).catch(() => undefined);
    if (isAppError(outcome, 'conflict') && attempt < MAX_TRIES) continue;
    throw outcome;
  }
}

async function verifiedCopy(store: NoteStore, note: Note, to: NotePath): Promise<{ version: string }> {
  const written = await store.write(to, note.bytes, { ifVersion: null });
  const copy = await store.read(to);
  if (Buffer.compare(copy.bytes, note.bytes) === 0) return copy;
  await store.remove(to, { ifVersion: written.version }).catch(() => undefined);
  throw new AppError('upstream_failed', 'The copy is not what was written', {
    subject: to,
    hint: `Nothing was removed: ${note.path} is as it was.`,
  });
}

/** Resolves to the error when the note still exists; throws when that is unknown, and then the copy must stay. */
async function removeCopied(store: NoteStore, note: Note): Promise<'removed' | AppError> {
  try {
    await store.remove(note.path, { ifVersion: note.version });
    return 'removed';
  } catch (error) {
    if (!isAppError(error)) throw error;
    // A request that failed without an answer may have removed the note.
    return (await readIfThere(store, note.path)) ? error : 'removed';
  }
}

/**
 * Whether the note at the new path is the one at the old path, as where names are one in all spellings. Elsewhere two
 * notes may have names that differ only in letter case.
 */
export function isRespelled(
  [from, here]: readonly [string, Pick<Note, 'bytes'> | undefined],
  [to, there]: readonly [string, Pick<Note, 'bytes'> | undefined],
): boolean {
  if (!here || !there || pathKey(from) !== pathKey(to)) return false;
  return Buffer.compare(here.bytes, there.bytes) === 0;
}
