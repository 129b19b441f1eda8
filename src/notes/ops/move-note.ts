/**
 * Moves a note and keeps every link that led to it, and every link it holds, leading where it led. The note
 * moves first; then each note with a link in need of change is edited on its own, so that one that cannot be
 * edited blocks nothing and is named in the answer. A store that can makes all of it one change.
 */

import { AppError, isAppError } from '../../shared/errors.ts';
import { type NotePath, pathKey } from '../path.ts';
import type { Notebook, NoteMeta } from '../store.ts';
import { relocate } from './links.ts';
import { suggestingWhenMissing } from './read-note.ts';
import {
  type MoveResult,
  moveWithLinks,
  type ReplacedNote,
  spellingAmong,
  updateLinks,
} from './update-links.ts';

interface Move {
  readonly from: NotePath;
  readonly to: NotePath;
  readonly overwrite: boolean;
  readonly updateLinks: boolean;
  readonly dryRun: boolean;
  /** The version of the note at the new path that the caller has seen. */
  readonly expectedVersion?: string;
}

export async function moveNote(notebook: Notebook, asked: Move, signal?: AbortSignal): Promise<MoveResult> {
  const { notes, files } = notebook;
  const { spelling = (path: NotePath) => path } = notes;
  const [from, to] = [spelling(asked.from), spelling(asked.to)];
  const move = { ...asked, from, to };
  if (move.overwrite && !notes.move)
    throw new AppError('unsupported', 'A move cannot replace a note here', { subject: notes.name });
  await suggestingWhenMissing(notes, from, () => (notes.stat ?? notes.read)(from));
  if (from === to) return { updated: [], failed: [] };
  await targetOf(notebook, move);
  if (move.updateLinks && !move.dryRun && files.changeAll) {
    const plan = (metas: readonly NoteMeta[]) => new Map([[spellingAmong(metas, from), to]]);
    const replaced = move.overwrite ? () => targetOf(notebook, move) : undefined;
    const moved = await moveWithLinks(notebook, files.changeAll, { plan, replaced, signal });
    if (moved) return moved;
  }
  const before = move.updateLinks ? await files.list({ signal }) : [];
  signal?.throwIfAborted();
  if (!move.dryRun) {
    if (notes.move) await notes.move(from, to, { overwrite: move.overwrite });
    else await relocate(notes, from, to, signal);
  }
  if (!move.updateLinks) return { updated: [], failed: [] };
  const moves = new Map([[spellingAmong(before, from), to]]);
  return updateLinks(
    notebook,
    { moves, dryRun: move.dryRun, replaced: move.overwrite ? to : undefined },
    before,
  );
}

/** The note at the new path, which gives way. */
async function targetOf({ notes, keepsAll, guard }: Notebook, move: Move): Promise<ReplacedNote | undefined> {
  const { from, to, overwrite } = move;
  if (overwrite && keepsAll) {
    throw new AppError('read_only', 'Overwriting is switched off', {
      subject: to,
      hint: 'This notebook is served with --no-delete. Choose a newPath that is free.',
    });
  }
  const isTaken = await (notes.stat ?? notes.read)(to).then(
    () => true,
    (error: unknown) => {
      if (isAppError(error, 'not_found')) return false;
      throw error;
    },
  );
  if (isTaken && !overwrite && pathKey(from) !== pathKey(to)) {
    throw new AppError('already_exists', 'Target file already exists', {
      subject: to,
      hint: 'Use overwrite=true to replace it, or choose another newPath.',
    });
  }
  if (!isTaken || !overwrite) return undefined;
  const note = await notes.read(to).catch((error: unknown) => {
    // Too large to be read as a note; nobody has seen it then.
    if (guard || !isAppError(error, 'unsupported')) throw error;
  });
  if (guard && note) await guard.assertSeen(to, note, move.expectedVersion);
  return { path: to, version: note?.version };
}
