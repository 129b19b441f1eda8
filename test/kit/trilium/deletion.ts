/** Deleting and bringing back: rows stay, and remember which deletion took them. */
import { etapiError, generic } from './answer.ts';
import { type Database, randomId } from './database.ts';

export function deleteNote(db: Database, noteId: string, deleteId = randomId(10)): void {
  const note = db.note(noteId);
  if (!note) return;
  if (noteId === 'root') throw generic("Can't delete root or hoisted branch/note");
  if (db.damaged.has(noteId)) throw generic('NOT NULL constraint failed: entity_changes.entityId');
  note.deleteId = deleteId;
  db.touch(note);
  for (const branch of db.parentBranches(noteId)) branch.deleteId = deleteId;
  for (const attribute of db.ownAttributes(noteId)) attribute.deleteId = deleteId;
  for (const attribute of db.attributes.values())
    if (leadsTo(attribute, noteId)) attribute.deleteId ??= deleteId;
  for (const attachment of db.attachments.values())
    if (attachment.ownerId === noteId) attachment.deleteId ??= deleteId;
  for (const branch of db.childBranches(noteId)) deleteBranch(db, branch.branchId, deleteId);
}

/** A relation goes with its target. */
function leadsTo({ type, value }: { type: string; value: string }, noteId: string): boolean {
  return type === 'relation' && value === noteId;
}

/** Places that do not keep a note alive. */
const WEAK = ['_share', '_lbBookmarks'];

/** The last one takes the note along; bookmarks do not count. */
export function deleteBranch(db: Database, branchId: string, deleteId = randomId(10)): void {
  const branch = db.branch(branchId);
  if (!branch) return;
  if (branch.noteId === 'root' && branch.parentNoteId === 'none')
    throw generic("Can't delete root or hoisted branch/note");
  branch.deleteId = deleteId;
  const strong = db.parentBranches(branch.noteId).filter(({ parentNoteId }) => !WEAK.includes(parentNoteId));
  if (strong.length === 0) deleteNote(db, branch.noteId, deleteId);
}

export function canBeUndeleted(db: Database, noteId: string): boolean {
  const deleteId = db.notes.get(noteId)?.deleteId;
  return [...db.branches.values()].some(
    (branch) =>
      branch.noteId === noteId && branch.deleteId === deleteId && db.note(branch.parentNoteId) !== undefined,
  );
}

export function undeleteNote(db: Database, noteId: string): void {
  const deleteId = db.notes.get(noteId)?.deleteId;
  if (deleteId === undefined) throw etapiError(400, 'NOTE_NOT_DELETED', `Note '${noteId}' is not deleted.`);
  if (!canBeUndeleted(db, noteId))
    throw etapiError(400, 'CANNOT_UNDELETE', `Cannot undelete note '${noteId}' - no undeleted parent found.`);
  if (needsKey(db, noteId, deleteId)) throw generic('Cannot read a protected attachment while locked');
  restore(db, noteId, deleteId);
}

/** A protected note comes back with its attachments, which only an unlocked Trilium can read. */
function needsKey(db: Database, noteId: string, deleteId: string): boolean {
  if (db.isUnlocked || !db.notes.get(noteId)?.isProtected) return false;
  return [...db.attachments.values()].some((one) => one.ownerId === noteId && one.deleteId === deleteId);
}

function restore(db: Database, noteId: string, deleteId: string): void {
  const note = db.notes.get(noteId);
  if (note?.deleteId !== deleteId) return;
  note.deleteId = undefined;
  db.touch(note);
  for (const row of [...db.branches.values(), ...db.attributes.values()])
    if (row.noteId === noteId && row.deleteId === deleteId) row.deleteId = undefined;
  for (const row of db.attributes.values())
    if (leadsTo(row, noteId) && row.deleteId === deleteId) row.deleteId = undefined;
  for (const row of db.attachments.values())
    if (row.ownerId === noteId && row.deleteId === deleteId) row.deleteId = undefined;
  for (const branch of db.branches.values()) {
    if (branch.parentNoteId !== noteId || branch.deleteId !== deleteId) continue;
    branch.deleteId = undefined;
    restore(db, branch.noteId, deleteId);
  }
}
