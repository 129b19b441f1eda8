/**
 * What one call has read of a Trilium: the state before a change need not be read again. Entries expire after a moment,
 * so that they are about as fresh as a request.
 */
import { TtlCache } from '../../../shared/memoize.ts';
import { blobIdOf } from '../revisions.ts';
import type { Attachment, Attribute, Branch, TriliumNote } from '../wire/entities.ts';

const FOR_MS = 1_000;
const MOST = 1_000;
const MOST_TEXTS = 8;

export type Known = ReturnType<typeof createKnown>;

export function createKnown(now: () => number = () => performance.now()) {
  const fresh = <Value>(most = MOST) => new TtlCache<Value>({ forMs: FOR_MS, most, now });
  const notes = fresh<TriliumNote>();
  const branches = fresh<Branch>();
  const attributes = fresh<Attribute>();
  const attachments = fresh<Attachment>();
  const texts = fresh<Uint8Array>(MOST_TEXTS);
  const files = fresh<Uint8Array>(MOST_TEXTS);
  return {
    notes,
    branches,
    attributes,
    attachments,
    learn: (note: TriliumNote): TriliumNote => {
      notes.set(note.noteId, note);
      for (const attribute of note.attributes) attributes.set(attribute.attributeId, attribute);
      return note;
    },
    learnBranch: (branch: Branch): Branch => {
      branches.set(branch.branchId, branch);
      return branch;
    },
    learnAttribute: (attribute: Attribute): Attribute => {
      attributes.set(attribute.attributeId, attribute);
      return attribute;
    },
    learnAttachment: (attachment: Attachment): Attachment => {
      attachments.set(attachment.attachmentId, attachment);
      return attachment;
    },
    learnText: (noteId: string, bytes: Uint8Array): Uint8Array => {
      texts.set(noteId, bytes);
      return bytes;
    },
    learnFile: (attachmentId: string, bytes: Uint8Array): void => files.set(attachmentId, bytes),
    /** The text, if it is the one that the note has. */
    textOf: ({ noteId, blobId }: TriliumNote): Uint8Array | undefined => ifItIs(texts.get(noteId), blobId),
    fileOf: (attachmentId: string, blobId: string): Uint8Array | undefined =>
      ifItIs(files.get(attachmentId), blobId),
    /** The text of the note has changed. */
    changed: (noteId: string): void => {
      const note = notes.get(noteId);
      if (note) notes.set(noteId, { ...note, blobId: '' });
    },
    /** The content of the attachment has changed. */
    refiled: (attachmentId: string): void => {
      const attachment = attachments.get(attachmentId);
      if (attachment) attachments.set(attachmentId, { ...attachment, blobId: '' });
    },
    /** The places of the note have changed. */
    moved: (noteId: string, branchId: string): void => {
      notes.delete(noteId);
      branches.delete(branchId);
    },
  };
}

function ifItIs(bytes: Uint8Array | undefined, blobId: string): Uint8Array | undefined {
  return bytes && blobIdOf(bytes) === blobId ? bytes : undefined;
}
