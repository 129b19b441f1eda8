/** Places, attributes, attachments and revisions of the notes inside a subtree. */
import type { TriliumClient } from '../client.ts';
import type { AttachmentsApi } from '../wire/attachments.ts';
import type { AttributesApi } from '../wire/attributes.ts';
import type { BranchesApi } from '../wire/branches.ts';
import type { RevisionsApi } from '../wire/revisions.ts';
import { assertFree } from './notes.ts';
import { outOfReach, type Scope } from './scope.ts';

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
        // A template hands down what it has, and a search sees through relations: none may lead outside.
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
