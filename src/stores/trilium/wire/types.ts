/** Types of ETAPI responses, with Trilium's own names. */
import { AppError } from '../../../shared/errors.ts';
import { markUnprintable } from '../../../shared/printable.ts';

export interface TriliumNote {
  readonly noteId: string;
  readonly isProtected: boolean;
  readonly title: string;
  readonly type: string;
  readonly mime: string;
  /** Identifies the content. */
  readonly blobId: string;
  readonly dateCreated: string;
  readonly dateModified: string;
  readonly utcDateCreated: string;
  readonly utcDateModified: string;
  readonly parentNoteIds: readonly string[];
  /** In tree order. */
  readonly childNoteIds: readonly string[];
  readonly parentBranchIds: readonly string[];
  readonly childBranchIds: readonly string[];
  /** Includes inherited ones, which have another `noteId`. */
  readonly attributes: readonly Attribute[];
}

/** The position of a note below one parent. */
export interface Branch {
  readonly branchId: string;
  readonly noteId: string;
  readonly parentNoteId: string;
  readonly prefix: string | null;
  readonly notePosition: number;
  readonly isExpanded: boolean;
  readonly utcDateModified: string;
}

export interface Attribute {
  readonly attributeId: string;
  /** The owning note. */
  readonly noteId: string;
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly position: number;
  readonly isInheritable: boolean;
  readonly utcDateModified: string;
}

export interface Attachment {
  readonly attachmentId: string;
  readonly ownerId: string;
  readonly role: string;
  readonly mime: string;
  readonly title: string;
  readonly position: number;
  readonly blobId: string;
  readonly dateModified: string;
  readonly utcDateModified: string;
  /** Set when no text refers to the attachment: Trilium will erase it. Missing in the response to its creation. */
  readonly utcDateScheduledForErasureSince?: string | null;
  readonly contentLength?: number;
}

export interface Revision {
  readonly revisionId: string;
  readonly noteId: string;
  readonly type: string;
  readonly mime: string;
  readonly isProtected: boolean;
  readonly title: string;
  readonly description?: string;
  readonly source?: string;
  readonly blobId: string;
  readonly dateLastEdited: string;
  readonly dateCreated: string;
  readonly utcDateLastEdited: string;
  readonly utcDateCreated: string;
  readonly utcDateModified: string;
  readonly contentLength?: number;
}

export interface HistoryRow {
  readonly noteId: string;
  readonly current_isDeleted: number;
  readonly current_deleteId: string | null;
  readonly current_title: string;
  readonly current_isProtected: number;
  readonly title: string;
  readonly utcDate: string;
  readonly date: string;
  readonly canBeUndeleted?: boolean;
}

/** Without the data directory, which clients need not know. */
export interface AppInfo {
  readonly appVersion: string;
  readonly dbVersion?: number;
  readonly syncVersion?: number;
  readonly buildDate?: string;
  readonly buildRevision?: string;
  readonly clipperProtocolVersion?: string;
  readonly utcDateTime?: string;
  readonly nodeVersion?: string;
}

export interface CreatedNote {
  readonly note: TriliumNote;
  readonly branch: Branch;
}

export interface SearchAnswer {
  readonly results: readonly TriliumNote[];
  readonly debugInfo?: unknown;
}

/** The body of a note, an attachment or a revision. */
export interface Content {
  readonly bytes: Uint8Array;
  /** The `Content-Type` header, with parameters. */
  readonly contentType: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** A longer response is an error and is not read completely. */
  readonly maxBytes?: number | undefined;
}

/** Validates ids, which come from callers and become part of URLs. */

export type IdKind = 'note' | 'branch' | 'attribute' | 'attachment' | 'revision';

/** The id of a branch consists of two note ids. */
const MAX_LENGTH = 128;
const BRANCH_LENGTH = 2 * MAX_LENGTH + 1;

export function isId(id: string, kind: IdKind = 'note'): boolean {
  const most = kind === 'branch' ? BRANCH_LENGTH : MAX_LENGTH;
  return id.length <= most && /^[A-Za-z0-9_]+$/.test(id);
}

export function assertId(id: string, kind: IdKind = 'note'): string {
  if (!isId(id, kind))
    throw new AppError('invalid_input', `Invalid ${kind} id`, {
      subject: markUnprintable(id, 60),
      hint: `An id holds letters, digits and underscores only, at most ${MAX_LENGTH}. Take it from an answer, for example of a search.`,
    });
  return id;
}

export const branchIdOf = (parentNoteId: string, noteId: string): string => `${parentNoteId}_${noteId}`;

/** Trilium's own notes have ids that begin with an underscore. */
export const isSystemId = (noteId: string): boolean => noteId.startsWith('_');
