/** Notes as models see them: whole where one was asked for, slim in lists. */
import type { Attribute, HistoryRow, TriliumNote } from '../../stores/trilium/wire/entities.ts';

const MOST_CHILDREN = 100;

/** Lists only the first children of a note that has many. */
export function noteView(note: TriliumNote): Record<string, unknown> {
  const { childNoteIds, childBranchIds } = note;
  if (childNoteIds.length <= MOST_CHILDREN) return { ...note };
  return {
    ...note,
    childNoteIds: childNoteIds.slice(0, MOST_CHILDREN),
    childBranchIds: childBranchIds.slice(0, MOST_CHILDREN),
    childCount: childNoteIds.length,
    note: `Only the first ${MOST_CHILDREN} of ${childNoteIds.length} children are named; get_note_tree pages through them.`,
  };
}

/** A row of search results. */
export function noteRow(note: TriliumNote): Record<string, unknown> {
  const { noteId, title, type, mime, isProtected, dateModified, parentNoteIds, childNoteIds } = note;
  const own = note.attributes.filter((attribute) => attribute.noteId === noteId);
  return {
    noteId,
    title,
    type,
    mime: type !== 'text' ? mime : undefined,
    isProtected: isProtected || undefined,
    dateModified,
    parentNoteIds,
    childCount: childNoteIds.length > 0 ? childNoteIds.length : undefined,
    attributes: own.length > 0 ? own.slice(0, 10).map(shortAttribute) : undefined,
  };
}

const LONGEST_VALUE = 80;

function shortAttribute({ type, name, value }: Attribute): Record<string, unknown> {
  const isLong = value.length > LONGEST_VALUE;
  return { type, name, value: isLong ? `${value.slice(0, LONGEST_VALUE).toWellFormed()}…` : value };
}

export function historyRow(row: HistoryRow): Record<string, unknown> {
  const { noteId, title, current_title, current_isDeleted, current_isProtected, utcDate } = row;
  return {
    noteId,
    title,
    current_title: current_title !== title ? current_title : undefined,
    current_isDeleted,
    current_isProtected: current_isProtected !== 0 ? current_isProtected : undefined,
    utcDate,
    canBeUndeleted: row.canBeUndeleted,
  };
}
