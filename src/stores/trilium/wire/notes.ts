/** Notes, branches, attributes, attachments and revisions in ETAPI. */
import { AppError } from '../../../shared/errors.ts';
import {
  assertId,
  type IdKind,
  listOf,
  readAttachment,
  readAttribute,
  readBranch,
  readCreated,
  readHistoryRow,
  readNote,
  readRevision,
  readSuccess,
  type TriliumNote,
} from './entities.ts';
import type { Transport } from './transport.ts';

/** The endpoints of one entity by its id. A removal succeeds for ids that do not exist, too. */
function entityApi<T, Patch>({ json, nothing }: Transport, kind: IdKind, read: (value: unknown) => T) {
  const at = pathsOf(kind);
  return {
    get: async (id: string) => json({ path: at(id) }, read),
    patch: async (id: string, patch: Patch) => json({ method: 'PATCH', path: at(id), json: patch }, read),
    remove: async (id: string) => nothing({ method: 'DELETE', path: at(id) }),
  };
}

/** The content of one entity. A longer content than `maxBytes` is an error and is not read completely. */
function contentApi({ content, nothing }: Transport, kind: IdKind) {
  const at = pathsOf(kind);
  return {
    content: async (id: string, maxBytes?: number) => content({ path: at(id, 'content'), maxBytes }),
    /** Replaces the content unconditionally. */
    putContent: async (id: string, body: string | Uint8Array) =>
      nothing({ method: 'PUT', path: at(id, 'content'), body }),
  };
}

const FOLDERS: Readonly<Record<IdKind, string>> = {
  note: 'notes',
  branch: 'branches',
  attribute: 'attributes',
  attachment: 'attachments',
  revision: 'revisions',
};

function pathsOf(kind: IdKind) {
  return (id: string, ...rest: readonly string[]) => [FOLDERS[kind], assertId(id, kind), ...rest];
}

export interface NewNote {
  readonly parentNoteId: string;
  readonly title: string;
  readonly type: string;
  readonly content: string;
  readonly mime?: string;
  readonly notePosition?: number;
  readonly prefix?: string;
  readonly isExpanded?: boolean;
  /** Trilium overwrites an existing note of that id, so check first. */
  readonly noteId?: string;
  readonly dateCreated?: string;
  readonly utcDateCreated?: string;
}

/** Trilium stores any text as a type, without validation. */
export type NotePatch = Partial<
  Pick<TriliumNote, 'title' | 'type' | 'mime' | 'dateCreated' | 'utcDateCreated'>
>;

/** Timeout factor for exports and imports of whole subtrees. */
const TRANSFER_PATIENCE = 6;

export function notesApi(transport: Transport) {
  const { json, content } = transport;
  const at = pathsOf('note');
  return {
    ...entityApi<TriliumNote, NotePatch>(transport, 'note', readNote),
    ...contentApi(transport, 'note'),
    create: async (note: NewNote) => {
      assertId(note.parentNoteId);
      if (note.noteId !== undefined) assertId(note.noteId);
      return json({ method: 'POST', path: ['create-note'], json: note }, readCreated);
    },
    /** A ZIP file. */
    exportZip: async (noteId: string, format: 'html' | 'markdown' | 'share', maxBytes?: number) => {
      const path = at(noteId, 'export');
      return (await content({ path, query: { format }, patience: TRANSFER_PATIENCE, maxBytes })).bytes;
    },
    importZip: async (parentNoteId: string, body: Uint8Array) =>
      json(
        { method: 'POST', path: at(parentNoteId, 'import'), body, patience: TRANSFER_PATIENCE },
        readCreated,
      ),
    undelete: async (noteId: string) => {
      const since = { version: '0.102', what: 'Bringing notes back' };
      return json({ method: 'POST', path: at(noteId, 'undelete'), since }, readSuccess);
    },
    /** Newest first, at most 500 rows. */
    history: async (ancestorNoteId?: string) => {
      if (ancestorNoteId !== undefined) assertId(ancestorNoteId);
      const since = { version: '0.102', what: 'The change history' };
      return json({ path: ['notes', 'history'], query: { ancestorNoteId }, since }, (rows) =>
        listOf(rows, readHistoryRow),
      );
    },
  };
}

interface BranchPatch {
  readonly notePosition?: number;
  readonly prefix?: string | null;
  readonly isExpanded?: boolean;
}

interface NewBranch extends BranchPatch {
  readonly noteId: string;
  readonly parentNoteId: string;
}

/**
 * Places of notes in the tree. ETAPI creates loops without an error, and deletes a note with its last branch; see
 * place.ts for moving notes.
 */
export function branchesApi(transport: Transport) {
  const { json, nothing } = transport;
  return {
    ...entityApi<ReturnType<typeof readBranch>, BranchPatch>(transport, 'branch', readBranch),
    /** Resets unspecified fields of an existing branch. */
    create: async (branch: NewBranch) => {
      assertId(branch.noteId);
      assertId(branch.parentNoteId);
      return json({ method: 'POST', path: ['branches'], json: branch }, readBranch);
    },
    /** Pushes changed positions to open Trilium clients. */
    refreshOrdering: async (parentNoteId: string) =>
      nothing({ method: 'POST', path: ['refresh-note-ordering', assertId(parentNoteId)] }),
  };
}

interface AttributePatch {
  /** For labels only. */
  readonly value?: string;
  readonly position?: number;
}

export interface NewAttribute {
  readonly noteId: string;
  readonly type: 'label' | 'relation';
  /** Trilium replaces characters that a name may not contain by `_`. */
  readonly name: string;
  /** For a relation, the id of its target. */
  readonly value: string;
  readonly isInheritable?: boolean;
  readonly position?: number;
  readonly attributeId?: string;
}

/**
 * Trilium answers an attribute without a name with 500 but keeps it in memory, after which its note cannot be
 * deleted.
 */
export function assertNamed({ name }: Pick<NewAttribute, 'name'>): void {
  if (name.trim() !== '') return;
  throw new AppError('invalid_input', 'The name is blank', {
    subject: 'name',
    hint: 'A label or relation needs a name with letters or digits in it. Nothing was written.',
  });
}

/** Labels and relations. */
export function attributesApi(transport: Transport) {
  return {
    ...entityApi<ReturnType<typeof readAttribute>, AttributePatch>(transport, 'attribute', readAttribute),
    create: async (attribute: NewAttribute) => {
      assertId(attribute.noteId);
      assertNamed(attribute);
      if (attribute.type === 'relation') assertId(attribute.value);
      if (attribute.attributeId !== undefined) assertId(attribute.attributeId, 'attribute');
      return transport.json({ method: 'POST', path: ['attributes'], json: attribute }, readAttribute);
    },
  };
}

export interface AttachmentPatch {
  readonly role?: string;
  readonly mime?: string;
  readonly title?: string;
  readonly position?: number;
}

interface NewAttachment {
  readonly ownerId: string;
  readonly role: string;
  readonly mime: string;
  readonly title: string;
  /** Text only; bytes are uploaded afterwards. */
  readonly content?: string;
  readonly position?: number;
}

export function attachmentsApi(transport: Transport) {
  const { json } = transport;
  return {
    ...entityApi<ReturnType<typeof readAttachment>, AttachmentPatch>(transport, 'attachment', readAttachment),
    ...contentApi(transport, 'attachment'),
    create: async (attachment: NewAttachment) => {
      assertId(attachment.ownerId);
      return json({ method: 'POST', path: ['attachments'], json: attachment }, readAttachment);
    },
    list: async (noteId: string) => {
      const since = { version: '0.102', what: 'The list of attachments' };
      return json({ path: pathsOf('note')(noteId, 'attachments'), since }, (rows) =>
        listOf(rows, readAttachment),
      );
    },
  };
}

/** Creating a revision works in every version; reading them needs 0.102. */
export function revisionsApi({ json, content, nothing }: Transport) {
  const at = pathsOf('revision');
  const ofNote = pathsOf('note');
  const since = { version: '0.102', what: 'Reading revisions' };
  return {
    /** Takes a revision of the current note. Trilium keeps the description since 0.103. */
    create: async (noteId: string, description?: string) =>
      nothing({
        method: 'POST',
        path: ofNote(noteId, 'revision'),
        json: description !== undefined ? { description } : undefined,
      }),
    /** Newest first. */
    list: async (noteId: string) =>
      json({ path: ofNote(noteId, 'revisions'), since }, (rows) => listOf(rows, readRevision)),
    get: async (revisionId: string) => json({ path: at(revisionId), since }, readRevision),
    content: async (revisionId: string, maxBytes?: number) =>
      content({ path: at(revisionId, 'content'), since, maxBytes }),
  };
}
