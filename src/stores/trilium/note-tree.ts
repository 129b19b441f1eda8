/** A note with its descendants, some levels deep, within a bound on the number of notes. */
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import { childrenOf } from './tree.ts';
import { type Branch, isSystemId, type TriliumNote } from './wire/entities.ts';

export interface TreeNode {
  readonly note: TriliumNote;
  /** Children without Trilium's system notes. */
  readonly shownChildIds: readonly string[];
  /** Undefined for a collapsed note. */
  children?: TreeNode[];
}

interface Tree {
  readonly root: TreeNode;
  /** Whether notes were left collapsed because of the bound. */
  readonly isCut: boolean;
}

interface TreeRequest {
  readonly depth: number;
  /** Offset into the direct children, in tree order. */
  readonly offset: number;
  readonly limit: number;
  readonly maxNotes: number;
}

const PARALLEL = 8;

type Client = Pick<TriliumClient, 'notes' | 'search'>;

export async function treeOf(client: Client, noteId: string, request: TreeRequest): Promise<Tree> {
  const { depth, offset, limit, maxNotes } = request;
  const root = nodeOf(await client.notes.get(noteId));
  const first = await childrenOf(client, root.note);
  root.children = first.slice(offset, offset + limit).map(nodeOf);
  let count = root.children.length;
  let level = root.children;
  let isCut = false;
  for (let below = 1; below < depth && level.length > 0; below++) {
    const opened = level.filter(({ shownChildIds }) => {
      if (shownChildIds.length === 0) return false;
      const hasRoom = count + shownChildIds.length <= maxNotes;
      isCut ||= !hasRoom;
      if (hasRoom) count += shownChildIds.length;
      return hasRoom;
    });
    await mapConcurrently(opened, PARALLEL, async (node) => {
      node.children = (await childrenOf(client, node.note)).map(nodeOf);
    });
    level = opened.flatMap(({ children = [] }) => children);
  }
  return { root, isCut };
}

function nodeOf(note: TriliumNote): TreeNode {
  const isSystem = isSystemId(note.noteId);
  return { note, shownChildIds: note.childNoteIds.filter((id) => isSystem || !isSystemId(id)) };
}

interface Position {
  readonly branchId: string;
  readonly notePosition: number;
}

const PARALLEL_MOVES = 8;

interface ReorderResult {
  readonly updated: readonly Branch[];
  /** Previous positions; revisions do not keep them. */
  readonly previous: readonly Position[];
}

/** Reorders the children of a note. All branches are checked before any is changed. */
export async function reorderNotes(
  { branches }: Pick<TriliumClient, 'branches'>,
  parentNoteId: string,
  positions: readonly Position[],
): Promise<ReorderResult> {
  const present = await mapConcurrently(positions, PARALLEL_MOVES, ({ branchId }) => branches.get(branchId));
  const stray = present.find((branch) => branch.parentNoteId !== parentNoteId);
  if (stray)
    throw new AppError('invalid_input', 'This place is below another note', {
      subject: stray.branchId,
      hint: `Its parent is ${stray.parentNoteId}, not ${parentNoteId}. Nothing was changed.`,
    });
  const updated: Branch[] = [];
  for (const { branchId, notePosition } of positions)
    updated.push(await branches.patch(branchId, { notePosition }));
  await branches.refreshOrdering(parentNoteId);
  return {
    updated,
    previous: present.map(({ branchId, notePosition }) => ({ branchId, notePosition })),
  };
}
