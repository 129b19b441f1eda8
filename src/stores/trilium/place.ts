/**
 * Moves, clones and unlinks notes in the tree without losing them. ETAPI creates loops, which break every search, and
 * deletes a note with its last branch; so everything is checked before anything is sent.
 */
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import { assertId, type Branch, branchIdOf, isSystemId, type TriliumNote } from './wire/entities.ts';

/** Far more than the depth of any tree. */
const MAX_NOTES = 5_000;

/** The ancestors of a note and the note itself. Terminates in a tree with a loop, too. */
async function lineageOf(
  { notes }: Pick<TriliumClient, 'notes'>,
  start: TriliumNote,
): Promise<ReadonlySet<string>> {
  const found = new Set([start.noteId]);
  let level: readonly TriliumNote[] = [start];
  while (level.length > 0) {
    const above = [...new Set(level.flatMap(({ parentNoteIds }) => parentNoteIds))].filter(
      (id) => !found.has(id),
    );
    for (const id of above) found.add(id);
    if (found.size > MAX_NOTES)
      throw new AppError('unsupported', 'Too many notes above this one', { subject: start.noteId });
    level = await Promise.all(above.filter((id) => id !== 'root').map((id) => notes.get(id)));
  }
  return found;
}

type Client = Pick<TriliumClient, 'notes' | 'branches'>;

interface Move {
  readonly noteId: string;
  readonly newParentNoteId: string;
  /** The parent to leave; required only for a note that has several. */
  readonly oldParentNoteId?: string | undefined;
  /** Unchanged if undefined. */
  readonly prefix?: string | undefined;
}

interface MoveResult {
  /** The branch after the move. */
  readonly branch: Branch;
  readonly outcome: 'moved' | 'updated' | 'unchanged';
  readonly removedBranchId?: string;
  /** The branch before the move; revisions do not keep branches. */
  readonly previous?: Branch;
}

export async function moveNote(client: Client, move: Move): Promise<MoveResult> {
  const { noteId, newParentNoteId, oldParentNoteId, prefix } = move;
  const note = await movable(client, noteId, newParentNoteId);
  if (oldParentNoteId !== undefined) assertParent(note, oldParentNoteId);
  if (note.parentNoteIds.includes(newParentNoteId)) return stay(client, move);
  const old = branchIdOf(oldParentNoteId ?? (await onlyParent(client, note)), noteId);
  const [before] = await Promise.all([
    client.branches.get(old),
    assertNoLoop(client, noteId, newParentNoteId),
  ]);
  const branch = await client.branches.create({
    noteId,
    parentNoteId: newParentNoteId,
    isExpanded: before.isExpanded,
    ...(prefix !== undefined ? { prefix } : before.prefix !== null && { prefix: before.prefix }),
  });
  await leave(client, before, branch);
  return { branch, outcome: 'moved', removedBranchId: old, previous: before };
}

/** For a note that is below the new parent already: changes its prefix, and removes the old branch if one was named. */
async function stay(client: Client, move: Move): Promise<MoveResult> {
  const { noteId, newParentNoteId, oldParentNoteId } = move;
  const settled = await settle(client, branchIdOf(newParentNoteId, noteId), move.prefix);
  if (oldParentNoteId === undefined || oldParentNoteId === newParentNoteId) return settled;
  const previous = await client.branches.get(branchIdOf(oldParentNoteId, noteId));
  await leave(client, previous, settled.branch);
  const { branch } = settled;
  return { branch, outcome: 'moved', removedBranchId: previous.branchId, previous };
}

interface Clone {
  readonly noteId: string;
  readonly parentNoteId: string;
  readonly prefix?: string | undefined;
}

/** Adds a branch to a note. */
export async function cloneNote(
  client: Client,
  { noteId, parentNoteId, prefix }: Clone,
): Promise<PlacementState | { readonly branch: Branch; readonly outcome: 'cloned' }> {
  const note = await movable(client, noteId, parentNoteId);
  // Creating an existing branch again would reset its prefix and position.
  if (note.parentNoteIds.includes(parentNoteId))
    return settle(client, branchIdOf(parentNoteId, noteId), prefix);
  await assertNoLoop(client, noteId, parentNoteId);
  const branch = await client.branches.create({ noteId, parentNoteId, prefix });
  return { branch, outcome: 'cloned' };
}

/** Removes a branch, never the last. */
export async function unlinkBranch(client: Client, branchId: string): Promise<Branch> {
  const branch = await client.branches.get(branchId);
  assertMovable(branch.noteId);
  await assertOtherPlace(client, branch);
  await client.branches.remove(branchId);
  return branch;
}

/** Branches in Trilium's own part of the tree do not count: with only a bookmark left, Trilium deletes the note. */
export async function assertOtherPlace(
  { notes }: Pick<TriliumClient, 'notes'>,
  { branchId, noteId, parentNoteId }: Branch,
): Promise<void> {
  const { parentNoteIds } = await notes.get(noteId);
  if (parentNoteIds.some((id) => id !== parentNoteId && !isSystemId(id))) return;
  throw new AppError('conflict', 'This is the only place of the note', {
    subject: branchId,
    hint: 'Without it Trilium would delete the note. Use delete_note if that is meant, or clone it elsewhere first.',
  });
}

async function movable({ notes }: Client, noteId: string, parentNoteId: string): Promise<TriliumNote> {
  assertMovable(assertId(noteId));
  if (isSystemId(assertId(parentNoteId)) || parentNoteId === 'none')
    throw new AppError('forbidden', 'Notes cannot be put there', {
      subject: parentNoteId,
      hint: "Ids that begin with _ are Trilium's own part of the tree. Choose another parent.",
    });
  if (noteId === parentNoteId) throw loop(noteId, parentNoteId);
  return notes.get(noteId);
}

function assertMovable(noteId: string): void {
  if (noteId === 'root' || noteId === 'none' || isSystemId(noteId))
    throw new AppError('forbidden', 'This note stays where it is', {
      subject: noteId,
      hint: "The root and Trilium's own notes (ids that begin with _) cannot be moved, cloned or unlinked.",
    });
}

export async function assertNoLoop(
  client: Pick<TriliumClient, 'notes'>,
  noteId: string,
  parentNoteId: string,
): Promise<void> {
  const target = await client.notes.get(parentNoteId);
  if ((await lineageOf(client, target)).has(noteId)) throw loop(noteId, parentNoteId);
}

function loop(noteId: string, parentNoteId: string): AppError {
  return new AppError('conflict', 'A note cannot be put below itself', {
    subject: `${noteId} below ${parentNoteId}`,
    hint: 'The new parent is the note itself or one of the notes below it. Choose another parent.',
  });
}

function assertParent({ noteId, parentNoteIds }: TriliumNote, parentNoteId: string): void {
  if (parentNoteIds.includes(assertId(parentNoteId))) return;
  throw new AppError('invalid_input', 'The note is not there', {
    subject: `${noteId} below ${parentNoteId}`,
    hint: `Its parents are: ${parentNoteIds.join(', ')}.`,
  });
}

/** Ignores parents in Trilium's own part of the tree, bookmarks for example. */
async function onlyParent({ notes }: Client, note: TriliumNote): Promise<string> {
  const parents = note.parentNoteIds.filter((id) => !isSystemId(id));
  const [only] = parents;
  if (only !== undefined && parents.length === 1) return only;
  if (only === undefined)
    throw new AppError('forbidden', "The note is only in Trilium's own part of the tree", {
      subject: note.noteId,
    });
  const named = await Promise.all(
    parents.map(async (id) => `${id} (${(await notes.get(id)).title.slice(0, 80)})`),
  );
  throw new AppError('conflict', 'The note is in several places', {
    subject: note.noteId,
    hint: `Say which one to leave with oldParentNoteId: ${named.join(', ')}.`,
  });
}

interface PlacementState {
  readonly branch: Branch;
  readonly outcome: 'updated' | 'unchanged';
  readonly previous?: Branch;
}

async function settle(
  { branches }: Client,
  branchId: string,
  prefix: string | undefined,
): Promise<PlacementState> {
  const previous = await branches.get(branchId);
  if (prefix === undefined || prefix === (previous.prefix ?? ''))
    return { branch: previous, outcome: 'unchanged' };
  return { branch: await branches.patch(branchId, { prefix }), outcome: 'updated', previous };
}

async function leave(client: Client, old: Branch, kept: Branch): Promise<void> {
  try {
    // Another client may have removed the new branch again.
    await assertOtherPlace(client, old);
    await client.branches.remove(old.branchId);
  } catch (cause) {
    throw new AppError('upstream_failed', 'The old place of the note could not be taken away', {
      subject: kept.noteId,
      hint: `It was put at ${kept.branchId}, and ${old.branchId} is there too. Look at the note, then unlink the place that should go.`,
      cause,
    });
  }
}
