import * as z from 'zod';
import { type TreeNode, treeOf } from '../../stores/trilium/note-tree.ts';
import { defineTool } from './backend.ts';
import { id, limit, offset } from './parameters.ts';

const MOST_NOTES = 500;
/** A closed note with few below it names them. */
const MOST_NAMED = 5;

export const getNoteTree = defineTool({
  name: 'get_note_tree',
  title: 'Get note tree',
  description: `List the notes below a note, in tree order. "root" is the top. Each node: {noteId, title, type, childCount, children?}; a branch id is "<parent id>_<note id>". At most ${MOST_NOTES} notes. Example: {"noteId":"root","depth":2}`,
  effect: 'read',
  input: () =>
    z.object({
      noteId: id(),
      depth: z.int().min(1).max(5).default(1).describe('Levels to open'),
      limit: limit(100, MOST_NOTES).describe('Children of the note itself to show'),
      offset: offset(),
    }),
  async run({ noteId, ...request }, { backend: { client }, signal }) {
    const { root, isCut } = await treeOf(client, noteId, { ...request, maxNotes: MOST_NOTES }, { signal });
    const end = request.offset + (root.children?.length ?? 0);
    const isPaged = end < root.shownChildIds.length;
    const notes = [
      ...(isPaged ? [`Children ${request.offset + 1} to ${end} of ${root.shownChildIds.length}.`] : []),
      ...(isCut
        ? ['Some notes stay closed because there are too many; ask for them by their own noteId.']
        : []),
    ];
    return {
      value: {
        ...nodeView(root),
        ...(isPaged && { nextOffset: end }),
        ...(isCut && { truncated: true }),
        ...(notes.length > 0 && { note: notes.join(' ') }),
      },
    };
  },
});

function nodeView({ note, shownChildIds, children }: TreeNode): Record<string, unknown> {
  const skipped = note.childNoteIds.length - shownChildIds.length;
  const isNamed = !children && shownChildIds.length > 0 && shownChildIds.length <= MOST_NAMED;
  return {
    noteId: note.noteId,
    title: note.title,
    type: note.type,
    childCount: shownChildIds.length,
    childBranchIds: children ? children.map((child) => `${note.noteId}_${child.note.noteId}`) : undefined,
    systemChildrenSkipped: skipped > 0 ? skipped : undefined,
    childNoteIds: isNamed ? shownChildIds : undefined,
    children: children ? children.map(nodeView) : undefined,
  };
}
