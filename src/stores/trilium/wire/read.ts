/** Strict parsing of ETAPI responses: anything unexpected is an error, and unknown fields are dropped. */
import { notTrilium } from './errors.ts';
import type {
  AppInfo,
  Attachment,
  Attribute,
  Branch,
  CreatedNote,
  HistoryRow,
  Revision,
  SearchAnswer,
  TriliumNote,
} from './types.ts';

type Kind = 'string' | 'number' | 'boolean';

interface Field {
  readonly name: string;
  readonly kind: string;
  readonly isOptional: boolean;
  readonly isNullable: boolean;
}

function fieldsOf(
  kinds: Readonly<Record<string, Kind | `${Kind}?` | 'string|null' | 'string|null?'>>,
): readonly Field[] {
  return Object.entries(kinds).map(([name, said]) => ({
    name,
    kind: said.replace(/[|?].*$/, ''),
    isOptional: said.endsWith('?'),
    isNullable: said.includes('|null') || said.endsWith('?'),
  }));
}

const BRANCH = fieldsOf({
  branchId: 'string',
  noteId: 'string',
  parentNoteId: 'string',
  prefix: 'string|null',
  notePosition: 'number',
  isExpanded: 'boolean',
  utcDateModified: 'string',
});
const ATTACHMENT = fieldsOf({
  attachmentId: 'string',
  ownerId: 'string',
  role: 'string',
  mime: 'string',
  title: 'string',
  position: 'number',
  blobId: 'string',
  dateModified: 'string',
  utcDateModified: 'string',
  utcDateScheduledForErasureSince: 'string|null?',
  contentLength: 'number?',
});
const REVISION = fieldsOf({
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
const HISTORY = fieldsOf({
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
const APP_INFO = fieldsOf({
  appVersion: 'string',
  dbVersion: 'number?',
  syncVersion: 'number?',
  buildDate: 'string?',
  buildRevision: 'string?',
  clipperProtocolVersion: 'string?',
  utcDateTime: 'string?',
  nodeVersion: 'string?',
});

/** Written out field by field, which is several times faster than a table; a search returns thousands of notes. */
export function readNote(value: unknown): TriliumNote {
  const note = objectOf(value);
  return {
    noteId: textOf(note.noteId),
    isProtected: flagOf(note.isProtected),
    title: shownTitle(textOf(note.title), flagOf(note.isProtected)),
    type: textOf(note.type),
    mime: textOf(note.mime),
    blobId: textOf(note.blobId),
    dateCreated: textOf(note.dateCreated),
    dateModified: textOf(note.dateModified),
    utcDateCreated: textOf(note.utcDateCreated),
    utcDateModified: textOf(note.utcDateModified),
    parentNoteIds: stringsOf(note.parentNoteIds),
    childNoteIds: stringsOf(note.childNoteIds),
    parentBranchIds: stringsOf(note.parentBranchIds),
    childBranchIds: stringsOf(note.childBranchIds),
    attributes: listOf(note.attributes).map(readAttribute),
  };
}

export function readAttribute(value: unknown): Attribute {
  const attribute = objectOf(value);
  return {
    attributeId: textOf(attribute.attributeId),
    noteId: textOf(attribute.noteId),
    type: textOf(attribute.type),
    name: textOf(attribute.name),
    value: textOf(attribute.value),
    position: numberOf(attribute.position),
    isInheritable: flagOf(attribute.isInheritable),
    utcDateModified: textOf(attribute.utcDateModified),
  };
}

export const readBranch = (value: unknown): Branch => pick<Branch>(objectOf(value), BRANCH);
export const readAttachment = (value: unknown): Attachment => pick<Attachment>(objectOf(value), ATTACHMENT);
export const readAttachments = (value: unknown): Attachment[] => listOf(value).map(readAttachment);
export function readRevision(value: unknown): Revision {
  const revision = pick<Revision>(objectOf(value), REVISION);
  return { ...revision, title: shownTitle(revision.title, revision.isProtected) };
}
export const readRevisions = (value: unknown): Revision[] => listOf(value).map(readRevision);
export const readAppInfo = (value: unknown): AppInfo => pick<AppInfo>(objectOf(value), APP_INFO);
export const readHistory = (value: unknown): HistoryRow[] =>
  listOf(value).map((one) => {
    const row = pick<HistoryRow>(objectOf(one), HISTORY);
    const isProtected = row.current_isProtected !== 0;
    return {
      ...row,
      title: shownTitle(row.title, isProtected),
      current_title: shownTitle(row.current_title, isProtected),
    };
  });

/**
 * While the protected session is locked, the title of a protected note is ciphertext, and the response does not
 * tell.
 */
export const PROTECTED_TITLE = '[protected]';

const shownTitle = (title: string, isProtected: boolean): string => (isProtected ? PROTECTED_TITLE : title);

export function readCreated(value: unknown): CreatedNote {
  const { note, branch } = objectOf(value);
  return { note: readNote(note), branch: readBranch(branch) };
}

export function readSearch(value: unknown): SearchAnswer {
  const { results, debugInfo } = objectOf(value);
  return { results: listOf(results).map(readNote), debugInfo };
}

export function readSuccess(value: unknown): void {
  if (objectOf(value).success !== true) throw notTrilium();
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notTrilium();
  return value as Record<string, unknown>;
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw notTrilium();
  return value;
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

function stringsOf(value: unknown): string[] {
  const list = listOf(value);
  if (!list.every((one) => typeof one === 'string')) throw notTrilium();
  return list;
}

/** The cast is justified by the table of fields, which are checked one by one. */
function pick<T>(object: Readonly<Record<string, unknown>>, fields: readonly Field[]): T {
  const picked: Record<string, unknown> = {};
  for (const { name, kind, isOptional, isNullable } of fields) {
    const value = object[name];
    if (value === undefined && isOptional) continue;
    if (typeof value !== kind && !(value === null && isNullable)) throw notTrilium();
    picked[name] = value;
  }
  return picked as T;
}
