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
import { type MoveResult, moveWithLinks, spellingAmong, updateLinks } from './update-links.ts';

interface Move {
  readonly from: NotePath;
  readonly to: NotePath;
  readonly overwrite: boolean;
  readonly updateLinks: boolean;
  readonly dryRun: boolean;
  /** The version of the note at the new path that the caller has seen. */
  readonly expectedVersion?: string;
}

export async function moveNote(notebook: Notebook, move: Move, signal?: AbortSignal): Promise<MoveResult> {
  const { from, to } = move;
  const { notes, files } = notebook;
  if (move.overwrite && !notes.move)
    throw new AppError('unsupported', 'A move cannot replace a note here', { subject: notes.name });
  await suggestingWhenMissing(notes, from, () => (notes.stat ?? notes.read)(from));
  if (from === to) return { updated: [], failed: [] };
  await assertTarget(notebook, move);
  if (move.updateLinks && !move.dryRun && files.changeAll) {
    const plan = (metas: readonly NoteMeta[]) => new Map([[spellingAmong(metas, from), to]]);
    return moveWithLinks(notebook, files.changeAll, { plan, overwrite: move.overwrite, signal });
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

async function assertTarget({ notes, keepsAll, guard }: Notebook, move: Move): Promise<void> {
  const { from, to, overwrite } = move;
  if (overwrite && keepsAll) {
    throw new AppError('read_only', 'Overwriting is switched off', {
      subject: to,
      hint: 'This notebook is served with --no-delete. Choose a newPath that is free.',
    });
  }
  const taken = await (notes.stat ?? notes.read)(to).catch((error: unknown) => {
    if (isAppError(error, 'not_found')) return undefined;
    throw error;
  });
  if (taken && overwrite && guard) await guard.assertSeen(to, await notes.read(to), move.expectedVersion);
  if (taken && !overwrite && pathKey(from) !== pathKey(to)) {
    throw new AppError('already_exists', 'Target file already exists', {
      subject: to,
      hint: 'Use overwrite=true to replace it, or choose another newPath.',
    });
  }
}
