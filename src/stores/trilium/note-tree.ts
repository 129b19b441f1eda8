/** A note with what is below it, some levels deep, one request for each note that is opened; never more than a bound. */
import { pooled } from '../../shared/pooled.ts';
import { childrenOf } from './children.ts';
import type { TriliumClient } from './client.ts';
import { isSystemId } from './wire/ids.ts';
import type { CallOptions, TriliumNote } from './wire/types.ts';

export interface TreeNode {
  readonly note: TriliumNote;
  /** Those of Trilium's own part of the tree are not shown below other notes. */
  readonly shownChildIds: readonly string[];
  /** Absent where the tree was not opened. */
  children?: TreeNode[];
}

export interface Tree {
  readonly root: TreeNode;
  /** Whether some notes were left closed because there were too many. */
  readonly isCut: boolean;
}

export interface TreeRequest {
  readonly depth: number;
  /** Of the notes right below, in tree order. */
  readonly offset: number;
  readonly limit: number;
  readonly maxNotes: number;
}

const PARALLEL = 8;

type Client = Pick<TriliumClient, 'notes' | 'search'>;

export async function treeOf(
  client: Client,
  noteId: string,
  request: TreeRequest,
  options?: CallOptions,
): Promise<Tree> {
  const { depth, offset, limit, maxNotes } = request;
  const root = nodeOf(await client.notes.get(noteId, options));
  const first = await childrenOf(client, root.note, options);
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
    await pooled(
      opened,
      PARALLEL,
      async (node) => {
        node.children = (await childrenOf(client, node.note, options)).map(nodeOf);
      },
      options?.signal,
    );
    level = opened.flatMap(({ children = [] }) => children);
  }
  return { root, isCut };
}

function nodeOf(note: TriliumNote): TreeNode {
  const isSystem = isSystemId(note.noteId);
  return { note, shownChildIds: note.childNoteIds.filter((id) => isSystem || !isSystemId(id)) };
}
