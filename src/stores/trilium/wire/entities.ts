/**
 * ETAPI's entities under Trilium's own names: their ids, and strict parsing of responses. Anything unexpected is an
 * error, and unknown fields are dropped.
 */
import { AppError } from '../../../shared/errors.ts';
import { markUnprintable } from '../../../shared/printable.ts';
import { notTrilium } from './errors.ts';

/** The kinds of entities with ids, which come from callers and become part of URLs. */
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

/** The body of a note, an attachment or a revision. */
export interface Content {
  readonly bytes: Uint8Array;
  /** The `Content-Type` header, with parameters. */
  readonly contentType: string;
}

export type TriliumNote = Readonly<ReturnType<typeof readNote>>;

/** Written out field by field, which is several times faster than a table; a search returns thousands of notes. */
export function readNote(value: unknown) {
  const note = objectOf(value);
  return {
    noteId: textOf(note.noteId),
    isProtected: flagOf(note.isProtected),
    title: shownTitle(textOf(note.title), flagOf(note.isProtected)),
    type: textOf(note.type),
    mime: textOf(note.mime),
    /** Identifies the content. */
    blobId: textOf(note.blobId),
    dateCreated: textOf(note.dateCreated),
    dateModified: textOf(note.dateModified),
    utcDateCreated: textOf(note.utcDateCreated),
    utcDateModified: textOf(note.utcDateModified),
    parentNoteIds: stringsOf(note.parentNoteIds),
    /** In tree order. */
    childNoteIds: stringsOf(note.childNoteIds),
    parentBranchIds: stringsOf(note.parentBranchIds),
    childBranchIds: stringsOf(note.childBranchIds),
    /** Includes inherited ones, which have another `noteId`. */
    attributes: listOf(note.attributes, readAttribute),
  };
}

export type Attribute = Readonly<ReturnType<typeof readAttribute>>;

export function readAttribute(value: unknown) {
  const attribute = objectOf(value);
  return {
    attributeId: textOf(attribute.attributeId),
    /** The owning note. */
    noteId: textOf(attribute.noteId),
    type: textOf(attribute.type),
    name: textOf(attribute.name),
    value: textOf(attribute.value),
    position: numberOf(attribute.position),
    isInheritable: flagOf(attribute.isInheritable),
    utcDateModified: textOf(attribute.utcDateModified),
  };
}

/** The position of a note below one parent. */
export type Branch = ReturnType<typeof readBranch>;

export const readBranch = entityReader({
  branchId: 'string',
  noteId: 'string',
  parentNoteId: 'string',
  prefix: 'string|null',
  notePosition: 'number',
  isExpanded: 'boolean',
  utcDateModified: 'string',
});

export type Attachment = ReturnType<typeof readAttachment>;

export const readAttachment = entityReader({
  attachmentId: 'string',
  ownerId: 'string',
  role: 'string',
  mime: 'string',
  title: 'string',
  position: 'number',
  blobId: 'string',
  dateModified: 'string',
  utcDateModified: 'string',
  /** Set when no text refers to the attachment: Trilium will erase it. Missing in the response to its creation. */
  utcDateScheduledForErasureSince: 'string|null?',
  contentLength: 'number?',
});

const readStoredRevision = entityReader({
  revisionId: 'string',
  noteId: 'string',
  type: 'string',
  mime: 'string',
  isProtected: 'boolean',
  title: 'string',
  description: 'string?',
  source: 'string?',
  blobId: 'string',
  dateLastEdited: 'string',
  dateCreated: 'string',
  utcDateLastEdited: 'string',
  utcDateCreated: 'string',
  utcDateModified: 'string',
  contentLength: 'number?',
});

export function readRevision(value: unknown) {
  const revision = readStoredRevision(value);
  return { ...revision, title: shownTitle(revision.title, revision.isProtected) };
}

export type HistoryRow = ReturnType<typeof readStoredHistoryRow>;

const readStoredHistoryRow = entityReader({
  noteId: 'string',
  current_isDeleted: 'number',
  current_deleteId: 'string|null',
  current_title: 'string',
  current_isProtected: 'number',
  title: 'string',
  utcDate: 'string',
  date: 'string',
  canBeUndeleted: 'boolean?',
});

export function readHistoryRow(value: unknown): HistoryRow {
  const row = readStoredHistoryRow(value);
  const isProtected = row.current_isProtected !== 0;
  return {
    ...row,
    title: shownTitle(row.title, isProtected),
    current_title: shownTitle(row.current_title, isProtected),
  };
}

/** Without the data directory, which clients need not know. */
export type AppInfo = ReturnType<typeof readAppInfo>;

export const readAppInfo = entityReader({
  appVersion: 'string',
  dbVersion: 'number?',
  syncVersion: 'number?',
  buildDate: 'string?',
  buildRevision: 'string?',
  clipperProtocolVersion: 'string?',
  utcDateTime: 'string?',
  nodeVersion: 'string?',
});

export type CreatedNote = ReturnType<typeof readCreated>;

export function readCreated(value: unknown) {
  const { note, branch } = objectOf(value);
  return { note: readNote(note) as TriliumNote, branch: readBranch(branch) };
}

export interface SearchAnswer {
  readonly results: readonly TriliumNote[];
  readonly debugInfo?: unknown;
}

export function readSearch(value: unknown): SearchAnswer {
  const { results, debugInfo } = objectOf(value);
  return { results: listOf(results, readNote), debugInfo };
}

export function readSuccess(value: unknown): void {
  if (objectOf(value).success !== true) throw notTrilium();
}

/**
 * While the protected session is locked, the title of a protected note is ciphertext, and the response does not
 * tell.
 */
export const PROTECTED_TITLE = '[protected]';

function shownTitle(title: string, isProtected: boolean): string {
  return isProtected ? PROTECTED_TITLE : title;
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notTrilium();
  return value as Record<string, unknown>;
}

export function listOf<T>(value: unknown, read: (one: unknown) => T): readonly T[] {
  if (!Array.isArray(value)) throw notTrilium();
  return value.map(read);
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw notTrilium();
  return value;
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number') throw notTrilium();
  return value;
}

function flagOf(value: unknown): boolean {
  if (typeof value !== 'boolean') throw notTrilium();
  return value;
}

function stringsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) throw notTrilium();
  return value;
}

interface Values {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly 'string|null': string | null;
}

type Kind = keyof Values;
/** A question mark stands for a field that may be missing or null. */
type Fields = Readonly<Record<string, Kind | `${Kind}?`>>;
type Entity<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends Kind ? Name : never]: Values[F[Name] & Kind];
} & {
  readonly [Name in keyof F as F[Name] extends Kind
    ? never
    : Name]?: F[Name] extends `${infer K extends Kind}?` ? Values[K] : never;
};

function entityReader<const F extends Fields>(kinds: F): (value: unknown) => Entity<F> {
  const fields = Object.entries(kinds).map(([name, kind]) => ({
    name,
    type: kind.replace(/[|?].*$/, ''),
    isOptional: kind.endsWith('?'),
    isNullable: /[|?]/.test(kind),
  }));
  return (value) => {
    const object = objectOf(value);
    const picked: Record<string, unknown> = {};
    for (const { name, type, isOptional, isNullable } of fields) {
      const field = object[name];
      if (field === undefined && isOptional) continue;
      if (typeof field !== type && !(field === null && isNullable)) throw notTrilium();
      picked[name] = field;
    }
    // Each field of the table has been checked.
    return picked as Entity<F>;
  };
}
