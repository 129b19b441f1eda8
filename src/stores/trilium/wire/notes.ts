/** Notes, branches and attributes in ETAPI. */
import { AppError } from '../../../shared/errors.ts';
import { readAttribute, readBranch, readCreated, readHistory, readNote, readSuccess } from './read.ts';
import type { Transport } from './transport.ts';
import {
  type Attribute,
  assertId,
  type Branch,
  type CallOptions,
  type Content,
  type CreatedNote,
  type HistoryRow,
  type TriliumNote,
} from './types.ts';

export interface NewNote {
  readonly parentNoteId: string;
  readonly title: string;
  readonly type: string;
  readonly content: string;
  readonly mime?: string | undefined;
  readonly notePosition?: number | undefined;
  readonly prefix?: string | undefined;
  readonly isExpanded?: boolean | undefined;
  /** Trilium overwrites an existing note of that id, so check first. */
  readonly noteId?: string | undefined;
  readonly dateCreated?: string | undefined;
  readonly utcDateCreated?: string | undefined;
}

export interface NotePatch {
  readonly title?: string | undefined;
  /** Trilium stores any text without validation. */
  readonly type?: string | undefined;
  readonly mime?: string | undefined;
  readonly dateCreated?: string | undefined;
  readonly utcDateCreated?: string | undefined;
}

type ExportFormat = 'html' | 'markdown' | 'share';

export interface NotesApi {
  create(note: NewNote, options?: CallOptions): Promise<CreatedNote>;
  get(noteId: string, options?: CallOptions): Promise<TriliumNote>;
  patch(noteId: string, patch: NotePatch, options?: CallOptions): Promise<TriliumNote>;
  /** Succeeds for ids that do not exist. */
  remove(noteId: string, options?: CallOptions): Promise<void>;
  content(noteId: string, options?: CallOptions): Promise<Content>;
  /** Replaces the content unconditionally. */
  putContent(noteId: string, content: string | Uint8Array, options?: CallOptions): Promise<void>;
  /** A ZIP file. */
  exportZip(noteId: string, format: ExportFormat, options?: CallOptions): Promise<Uint8Array>;
  importZip(parentNoteId: string, zip: Uint8Array, options?: CallOptions): Promise<CreatedNote>;
  undelete(noteId: string, options?: CallOptions): Promise<void>;
  /** Newest first, at most 500 rows. */
  history(ancestorNoteId?: string, options?: CallOptions): Promise<HistoryRow[]>;
}

/** Timeout factor for exports and imports of whole subtrees. */
const TRANSFER_PATIENCE = 6;

export function notesApi({ json, content, nothing }: Transport): NotesApi {
  const at = (noteId: string, ...rest: string[]) => ['notes', assertId(noteId), ...rest];
  return {
    create: async ({ parentNoteId, noteId, ...note }, options) =>
      json(
        {
          ...options,
          method: 'POST',
          path: ['create-note'],
          json: {
            ...note,
            parentNoteId: assertId(parentNoteId),
            ...(noteId !== undefined && { noteId: assertId(noteId) }),
          },
        },
        readCreated,
      ),
    get: async (noteId, options) => json({ ...options, path: at(noteId) }, readNote),
    patch: async (noteId, patch, options) =>
      json({ ...options, method: 'PATCH', path: at(noteId), json: patch }, readNote),
    remove: async (noteId, options) => nothing({ ...options, method: 'DELETE', path: at(noteId) }),
    content: async (noteId, options) => content({ ...options, path: at(noteId, 'content') }),
    putContent: async (noteId, body, options) =>
      nothing({ ...options, method: 'PUT', path: at(noteId, 'content'), body }),
    exportZip: async (noteId, format, options) => {
      const path = at(noteId, 'export');
      return (await content({ patience: TRANSFER_PATIENCE, ...options, path, query: { format } })).bytes;
    },
    importZip: async (parentNoteId, body, options) =>
      json(
        { patience: TRANSFER_PATIENCE, ...options, method: 'POST', path: at(parentNoteId, 'import'), body },
        readCreated,
      ),
    undelete: async (noteId, options) =>
      json(
        {
          ...options,
          method: 'POST',
          path: at(noteId, 'undelete'),
          since: { version: '0.102', what: 'Bringing notes back' },
        },
        readSuccess,
      ),
    history: async (ancestorNoteId, options) =>
      json(
        {
          ...options,
          path: ['notes', 'history'],
          query: { ancestorNoteId: ancestorNoteId === undefined ? undefined : assertId(ancestorNoteId) },
          since: { version: '0.102', what: 'The change history' },
        },
        readHistory,
      ),
  };
}

/** Branches: places of notes in the tree. ETAPI creates loops without an error; see place.ts for moving notes. */

interface NewBranch {
  readonly noteId: string;
  readonly parentNoteId: string;
  readonly notePosition?: number | undefined;
  readonly prefix?: string | undefined;
  readonly isExpanded?: boolean | undefined;
}

interface BranchPatch {
  readonly notePosition?: number | undefined;
  readonly prefix?: string | undefined;
  readonly isExpanded?: boolean | undefined;
}

export interface BranchesApi {
  /** Resets unspecified fields of an existing branch. */
  create(branch: NewBranch, options?: CallOptions): Promise<Branch>;
  get(branchId: string, options?: CallOptions): Promise<Branch>;
  patch(branchId: string, patch: BranchPatch, options?: CallOptions): Promise<Branch>;
  /** Deletes the note with its last branch. Succeeds for ids that do not exist. */
  remove(branchId: string, options?: CallOptions): Promise<void>;
  /** Pushes changed positions to open Trilium clients. */
  refreshOrdering(parentNoteId: string, options?: CallOptions): Promise<void>;
}

export function branchesApi({ json, nothing }: Transport): BranchesApi {
  const at = (branchId: string) => ['branches', assertId(branchId, 'branch')];
  return {
    create: async ({ noteId, parentNoteId, ...place }, options) =>
      json(
        {
          ...options,
          method: 'POST',
          path: ['branches'],
          json: { ...place, noteId: assertId(noteId), parentNoteId: assertId(parentNoteId) },
        },
        readBranch,
      ),
    get: async (branchId, options) => json({ ...options, path: at(branchId) }, readBranch),
    patch: async (branchId, patch, options) =>
      json({ ...options, method: 'PATCH', path: at(branchId), json: patch }, readBranch),
    remove: async (branchId, options) => nothing({ ...options, method: 'DELETE', path: at(branchId) }),
    refreshOrdering: async (parentNoteId, options) =>
      nothing({ ...options, method: 'POST', path: ['refresh-note-ordering', assertId(parentNoteId)] }),
  };
}

/** Attributes: labels and relations. */

interface NewAttribute {
  readonly noteId: string;
  readonly type: 'label' | 'relation';
  /** Trilium replaces characters that a name may not contain by `_`. */
  readonly name: string;
  /** For a relation, the id of its target. */
  readonly value: string;
  readonly isInheritable?: boolean | undefined;
  readonly position?: number | undefined;
  readonly attributeId?: string | undefined;
}

interface AttributePatch {
  /** For labels only. */
  readonly value?: string | undefined;
  readonly position?: number | undefined;
}

export interface AttributesApi {
  create(attribute: NewAttribute, options?: CallOptions): Promise<Attribute>;
  get(attributeId: string, options?: CallOptions): Promise<Attribute>;
  patch(attributeId: string, patch: AttributePatch, options?: CallOptions): Promise<Attribute>;
  remove(attributeId: string, options?: CallOptions): Promise<void>;
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

export function attributesApi({ json, nothing }: Transport): AttributesApi {
  const at = (attributeId: string) => ['attributes', assertId(attributeId, 'attribute')];
  return {
    create: async (attribute, options) => {
      assertId(attribute.noteId);
      assertNamed(attribute);
      if (attribute.type === 'relation') assertId(attribute.value);
      if (attribute.attributeId !== undefined) assertId(attribute.attributeId, 'attribute');
      return json({ ...options, method: 'POST', path: ['attributes'], json: attribute }, readAttribute);
    },
    get: async (attributeId, options) => json({ ...options, path: at(attributeId) }, readAttribute),
    patch: async (attributeId, patch, options) =>
      json({ ...options, method: 'PATCH', path: at(attributeId), json: patch }, readAttribute),
    remove: async (attributeId, options) => nothing({ ...options, method: 'DELETE', path: at(attributeId) }),
  };
}
