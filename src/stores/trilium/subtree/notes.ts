/** Notes inside a subtree. */
import { AppError, isAppError } from '../../../shared/errors.ts';
import type { TriliumClient } from '../client.ts';
import type { AttachmentsApi, RevisionsApi } from '../wire/files.ts';
import type { AttributesApi, BranchesApi, NotesApi } from '../wire/notes.ts';
import type { CallOptions, CreatedNote, TriliumNote } from '../wire/types.ts';
import { notFound, outOfReach, type Scope } from './scope.ts';

export function notesWithin({ notes }: TriliumClient, scope: Scope): NotesApi {
  const view = async (note: TriliumNote, options?: CallOptions) =>
    (await scope.views([note], options))[0] as TriliumNote;
  const created = async ({ note, branch }: CreatedNote, options?: CallOptions) => ({
    note: await view(note, options),
    branch,
  });

  return {
    create: async (note, options) => {
      await scope.assertNote(note.parentNoteId, options);
      if (note.noteId !== undefined) await assertFree(notes.get(note.noteId, options), note.noteId);
      return created(await notes.create(note, options), options);
    },
    get: async (noteId, options) => view(await scope.note(noteId, options), options),
    patch: async (noteId, patch, options) => {
      await scope.assertNote(noteId, options);
      return view(await notes.patch(noteId, patch, options), options);
    },
    remove: async (noteId, options) => {
      const note = await scope.note(noteId, options);
      const inside = await view(note, options);
      if (noteId === scope.rootId || inside.parentNoteIds.length < note.parentNoteIds.length)
        throw outOfReach(
          'This note cannot be deleted from here',
          'It stands outside of the subtree too. Unlink it from its place inside instead.',
        );
      await notes.remove(noteId, options).finally(() => scope.changed());
    },
    content: async (noteId, options) => {
      await scope.assertNote(noteId, options);
      return notes.content(noteId, options);
    },
    putContent: async (noteId, content, options) => {
      await scope.assertNote(noteId, options);
      await notes.putContent(noteId, content, options);
    },
    exportZip: async (noteId, format, options) => {
      await scope.assertNote(noteId, options);
      return notes.exportZip(noteId, format, options);
    },
    importZip: async (parentNoteId, zip, options) => {
      await scope.assertNote(parentNoteId, options);
      return created(await notes.importZip(parentNoteId, zip, options), options);
    },
    undelete: async (noteId, options) => {
      const rows = await notes.history(scope.rootId, options);
      if (!rows.some((row) => row.noteId === noteId && row.current_isDeleted === 1))
        throw notFound('Note', noteId);
      await notes.undelete(noteId, options).finally(() => scope.changed());
      // A deleted note may be restored to a place outside.
      if (await scope.isInside(noteId, options)) return;
      await notes.remove(noteId, options);
      throw notFound('Note', noteId);
    },
    history: async (ancestorNoteId = scope.rootId, options) => {
      await scope.assertNote(ancestorNoteId, options);
      const [rows, inside] = await Promise.all([
        notes.history(ancestorNoteId, options),
        scope.everyId(options),
      ]);
      return rows.filter((row) => row.current_isDeleted === 1 || inside.has(row.noteId));
    },
  };
}

/** Refuses an id that is taken anywhere in Trilium, because the note would be overwritten. */
export async function assertFree(found: Promise<unknown>, id: string): Promise<void> {
  const isFree = await found.then(
    () => false,
    (error: unknown) => {
      if (isAppError(error, 'not_found')) return true;
      throw error;
    },
  );
  if (!isFree)
    throw new AppError('already_exists', 'This id cannot be used', {
      subject: id,
      hint: 'Leave it out to have one chosen.',
    });
}

/** Places, attributes, attachments and revisions of the notes inside a subtree. */

export function branchesWithin({ branches }: TriliumClient, scope: Scope): BranchesApi {
  return {
    create: async (branch, options) => {
      if (branch.noteId === scope.rootId)
        throw outOfReach('This note stays where it is', 'It is the top of the subtree that can be reached.');
      await Promise.all([
        scope.assertNote(branch.noteId, options),
        scope.assertNote(branch.parentNoteId, options),
      ]);
      return branches.create(branch, options).finally(() => scope.changed());
    },
    get: (branchId, options) => scope.branch(branchId, options),
    patch: async (branchId, patch, options) => {
      await scope.assertOwned('Branch', branchId, options);
      return branches.patch(branchId, patch, options);
    },
    remove: async (branchId, options) => {
      await scope.assertOwned('Branch', branchId, options);
      await branches.remove(branchId, options).finally(() => scope.changed());
    },
    refreshOrdering: async (parentNoteId, options) => {
      await scope.assertNote(parentNoteId, options);
      await branches.refreshOrdering(parentNoteId, options);
    },
  };
}

export function attributesWithin({ attributes }: TriliumClient, scope: Scope): AttributesApi {
  return {
    create: async (attribute, options) => {
      await Promise.all([
        scope.assertNote(attribute.noteId, options),
        // Templates pass on their content, and searches follow relations, so no relation may lead outside.
        attribute.type === 'relation' && scope.assertNote(attribute.value, options),
      ]);
      if (attribute.attributeId !== undefined)
        await assertFree(attributes.get(attribute.attributeId, options), attribute.attributeId);
      return attributes.create(attribute, options);
    },
    get: (attributeId, options) => scope.attribute(attributeId, options),
    patch: async (attributeId, patch, options) => {
      await scope.assertOwned('Attribute', attributeId, options);
      return attributes.patch(attributeId, patch, options);
    },
    remove: async (attributeId, options) => {
      await scope.assertOwned('Attribute', attributeId, options);
      await attributes.remove(attributeId, options);
    },
  };
}

export function attachmentsWithin({ attachments }: TriliumClient, scope: Scope): AttachmentsApi {
  return {
    create: async (attachment, options) => {
      await scope.assertNote(attachment.ownerId, options);
      return attachments.create(attachment, options);
    },
    get: (attachmentId, options) => scope.attachment(attachmentId, options),
    patch: async (attachmentId, patch, options) => {
      await scope.assertOwned('Attachment', attachmentId, options);
      return attachments.patch(attachmentId, patch, options);
    },
    remove: async (attachmentId, options) => {
      await scope.assertOwned('Attachment', attachmentId, options);
      await attachments.remove(attachmentId, options);
    },
    content: async (attachmentId, options) => {
      await scope.assertOwned('Attachment', attachmentId, options);
      return attachments.content(attachmentId, options);
    },
    putContent: async (attachmentId, content, options) => {
      await scope.assertOwned('Attachment', attachmentId, options);
      await attachments.putContent(attachmentId, content, options);
    },
    list: async (noteId, options) => {
      await scope.assertNote(noteId, options);
      return attachments.list(noteId, options);
    },
  };
}

export function revisionsWithin({ revisions }: TriliumClient, scope: Scope): RevisionsApi {
  return {
    create: async (noteId, description, options) => {
      await scope.assertNote(noteId, options);
      await revisions.create(noteId, description, options);
    },
    list: async (noteId, options) => {
      await scope.assertNote(noteId, options);
      return revisions.list(noteId, options);
    },
    get: (revisionId, options) => scope.revision(revisionId, options),
    content: async (revisionId, options) => {
      await scope.assertOwned('Revision', revisionId, options);
      return revisions.content(revisionId, options);
    },
  };
}
