/**
 * A client whose changes are only made in memory, to find out what undoing would do. It does not know what Trilium
 * keeps of deleted notes: they come back as the history has them.
 */
import { randomBytes } from 'node:crypto';
import { AppError } from '../../../shared/errors.ts';
import type { TriliumClient } from '../client.ts';
import { blobIdOf } from '../revisions.ts';
import { notFound } from '../subtree/scope.ts';
import {
  type Attachment,
  type Attribute,
  type Branch,
  branchIdOf,
  type TriliumNote,
} from '../wire/entities.ts';

/** Undefined for what is removed. */
type Changes<T> = Map<string, T | undefined>;

const NOW = { dateModified: '', utcDateModified: '' };

export function plannedClient(client: TriliumClient): TriliumClient {
  const notes: Changes<TriliumNote> = new Map();
  const branches: Changes<Branch> = new Map();
  const attributes: Changes<Attribute> = new Map();
  const attachments: Changes<Attachment> = new Map();
  const texts = new Map<string, Uint8Array>();
  const files = new Map<string, Uint8Array>();

  const present = async <T>(
    changes: Changes<T>,
    kind: Parameters<typeof notFound>[0],
    [id, get]: readonly [string, (id: string) => Promise<T>],
  ): Promise<T> => {
    const one = changes.has(id) ? changes.get(id) : await get(id);
    if (one === undefined) throw notFound(kind, id);
    return one;
  };
  const noteOf = async (noteId: string): Promise<TriliumNote> => {
    const note = await present(notes, 'Note', [noteId, client.notes.get]);
    const added = [...branches.values()].filter((branch) => branch !== undefined);
    const parentNoteIds = [
      ...note.parentNoteIds.filter((id) => !branches.has(branchIdOf(id, noteId))),
      ...added.filter((branch) => branch.noteId === noteId).map((branch) => branch.parentNoteId),
    ];
    const childNoteIds = [
      ...note.childNoteIds.filter((id) => !branches.has(branchIdOf(noteId, id))),
      ...added.filter((branch) => branch.parentNoteId === noteId).map((branch) => branch.noteId),
    ];
    return {
      ...note,
      parentNoteIds,
      parentBranchIds: parentNoteIds.map((id) => branchIdOf(id, noteId)),
      childNoteIds,
      childBranchIds: childNoteIds.map((id) => branchIdOf(noteId, id)),
      attributes: [
        ...note.attributes.filter(({ attributeId }) => !attributes.has(attributeId)),
        ...[...attributes.values()].filter((one) => one?.noteId === noteId).map((one) => one!),
      ],
    };
  };
  const branchOf = (id: string) => present(branches, 'Branch', [id, client.branches.get]);
  const attributeOf = (id: string) => present(attributes, 'Attribute', [id, client.attributes.get]);
  const attachmentOf = (id: string) => present(attachments, 'Attachment', [id, client.attachments.get]);

  const addBranch = async (
    branch: Pick<Branch, 'noteId' | 'parentNoteId'> & Partial<Branch>,
  ): Promise<Branch> => {
    await Promise.all([noteOf(branch.noteId), noteOf(branch.parentNoteId)]);
    const branchId = branchIdOf(branch.parentNoteId, branch.noteId);
    const { prefix = null, notePosition = 0, isExpanded = false } = branch;
    const { noteId, parentNoteId } = branch;
    const added = { branchId, noteId, parentNoteId, prefix, notePosition, isExpanded, utcDateModified: '' };
    branches.set(branchId, added);
    return added;
  };

  return {
    ...client,
    limited: () => plannedClient(client),
    notes: {
      ...client.notes,
      get: noteOf,
      content: async (noteId) => {
        await noteOf(noteId);
        const bytes = texts.get(noteId);
        return bytes ? { bytes, contentType: '' } : client.notes.content(noteId);
      },
      putContent: async (noteId, body) => {
        notes.set(noteId, { ...(await noteOf(noteId)), blobId: blobIdOf(body) });
        texts.set(noteId, Buffer.from(body as Uint8Array));
      },
      patch: async (noteId, patch) => {
        const note = { ...(await noteOf(noteId)), ...patch };
        notes.set(noteId, note);
        return note;
      },
      create: async ({ noteId = newId(), content, mime = '', title, type, ...place }) => {
        const { dateCreated = '', utcDateCreated = '' } = place;
        notes.set(noteId, {
          ...{ noteId, title, type, mime, dateCreated, utcDateCreated, ...NOW },
          ...{ isProtected: false, blobId: blobIdOf(content), attributes: [] },
          ...{ parentNoteIds: [], childNoteIds: [], parentBranchIds: [], childBranchIds: [] },
        });
        texts.set(noteId, Buffer.from(content));
        const branch = await addBranch({ ...place, noteId });
        return { note: await noteOf(noteId), branch };
      },
      remove: async (noteId) => {
        for (const branchId of (await noteOf(noteId)).parentBranchIds) branches.set(branchId, undefined);
        notes.set(noteId, undefined);
      },
      undelete: async () => {
        throw new AppError('unsupported', 'Not known here');
      },
    },
    branches: {
      get: branchOf,
      create: addBranch,
      patch: async (id, patch) => addBranch({ ...(await branchOf(id)), ...patch }),
      remove: async (id) => void branches.set(id, undefined),
      refreshOrdering: async () => {},
    },
    attributes: {
      get: attributeOf,
      create: async (attribute) => {
        const { attributeId = newId(), position = 0, isInheritable = false } = attribute;
        await noteOf(attribute.noteId);
        if (attribute.type === 'relation') await noteOf(attribute.value);
        const made = { ...attribute, attributeId, position, isInheritable, utcDateModified: '' };
        attributes.set(attributeId, made);
        return made;
      },
      patch: async (id, patch) => {
        const attribute = { ...(await attributeOf(id)), ...patch };
        attributes.set(id, attribute);
        return attribute;
      },
      remove: async (id) => void attributes.set(id, undefined),
    },
    attachments: {
      get: attachmentOf,
      list: async (noteId) => {
        const list = await client.attachments.list(noteId).catch(() => []);
        const own = [...attachments.values()].filter((one) => one?.ownerId === noteId).map((one) => one!);
        return [...list.filter(({ attachmentId }) => !attachments.has(attachmentId)), ...own];
      },
      content: async (id) => {
        await attachmentOf(id);
        const bytes = files.get(id);
        return bytes ? { bytes, contentType: '' } : client.attachments.content(id);
      },
      putContent: async (id, body) => {
        attachments.set(id, { ...(await attachmentOf(id)), blobId: blobIdOf(body) });
        files.set(id, Buffer.from(body as Uint8Array));
      },
      create: async ({ content = '', position = 0, ...facts }) => {
        const attachmentId = newId();
        const made = { ...facts, attachmentId, position, blobId: blobIdOf(content), ...NOW };
        attachments.set(attachmentId, made);
        files.set(attachmentId, Buffer.from(content));
        return made;
      },
      patch: async (id, patch) => {
        const attachment = { ...(await attachmentOf(id)), ...patch };
        attachments.set(id, attachment);
        return attachment;
      },
      remove: async (id) => void attachments.set(id, undefined),
    },
    revisions: { ...client.revisions, create: async () => {} },
  };
}

const newId = () => randomBytes(9).toString('hex').slice(0, 12);
