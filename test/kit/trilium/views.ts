/** Rows as the wire shows them. */
import { createHash } from 'node:crypto';
import type { AttachmentRow, AttributeRow, BranchRow, Database, NoteRow, RevisionRow } from './database.ts';

/** Of a protected note the ciphertext, while its session is locked. */
export function shownTitle(
  db: Database,
  { title, isProtected }: Pick<NoteRow, 'title' | 'isProtected'>,
): string {
  if (!isProtected || db.isUnlocked) return title;
  const bytes = createHash('sha512').update(`sealed ${title}`).digest();
  return bytes.subarray(0, Buffer.byteLength(title) > 11 ? 48 : 32).toString('base64');
}

export function noteView(db: Database, note: NoteRow) {
  const parents = db.parentBranches(note.noteId);
  const children = db.childBranches(note.noteId);
  return {
    noteId: note.noteId,
    isProtected: note.isProtected,
    title: shownTitle(db, note),
    type: note.type,
    mime: note.mime,
    blobId: note.blobId,
    dateCreated: note.dateCreated,
    dateModified: note.dateModified,
    utcDateCreated: note.utcDateCreated,
    utcDateModified: note.utcDateModified,
    parentNoteIds: parents.map(({ parentNoteId }) => parentNoteId).filter((id) => id !== 'none'),
    childNoteIds: children.map(({ noteId }) => noteId),
    parentBranchIds: parents.map(({ branchId }) => branchId),
    childBranchIds: children.map(({ branchId }) => branchId),
    attributes: db.allAttributes(note.noteId).map(attributeView),
  };
}

export function branchView(branch: BranchRow) {
  const { branchId, noteId, parentNoteId, prefix, notePosition, isExpanded, utcDateModified } = branch;
  return { branchId, noteId, parentNoteId, prefix, notePosition, isExpanded, utcDateModified };
}

export function attributeView(attribute: AttributeRow) {
  const { attributeId, noteId, type, name, value, position, isInheritable, utcDateModified } = attribute;
  return { attributeId, noteId, type, name, value, position, isInheritable, utcDateModified };
}

/** As a POST answers: without the last two fields. */
export function newAttachmentView(db: Database, attachment: AttachmentRow) {
  const { attachmentId, ownerId, role, mime, position, blobId, dateModified, utcDateModified } = attachment;
  const isProtected = db.notes.get(ownerId)?.isProtected ?? false;
  const title = shownTitle(db, { title: attachment.title, isProtected });
  return { attachmentId, ownerId, role, mime, title, position, blobId, dateModified, utcDateModified };
}

export function attachmentView(db: Database, attachment: AttachmentRow) {
  return {
    ...newAttachmentView(db, attachment),
    utcDateScheduledForErasureSince: attachment.scheduledSince,
    contentLength: db.content(attachment).length,
  };
}

export function revisionView(db: Database, revision: RevisionRow) {
  return { ...revision, title: shownTitle(db, revision) };
}

/** In a list, with its length. */
export function listedRevisionView(db: Database, revision: RevisionRow) {
  return { ...revisionView(db, revision), contentLength: db.content(revision).length };
}
