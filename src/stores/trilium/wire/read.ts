/** Answers read strictly: whatever does not look like ETAPI's own is none, and what we do not know is left out. */
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

/** Taken apart once: a search brings thousands of notes. */
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

const NOTE = fieldsOf({
  noteId: 'string',
  isProtected: 'boolean',
  title: 'string',
  type: 'string',
  mime: 'string',
  blobId: 'string',
  dateCreated: 'string',
  dateModified: 'string',
  utcDateCreated: 'string',
  utcDateModified: 'string',
});
const BRANCH = fieldsOf({
  branchId: 'string',
  noteId: 'string',
  parentNoteId: 'string',
  prefix: 'string|null',
  notePosition: 'number',
  isExpanded: 'boolean',
  utcDateModified: 'string',
});
const ATTRIBUTE = fieldsOf({
  attributeId: 'string',
  noteId: 'string',
  type: 'string',
  name: 'string',
  value: 'string',
  position: 'number',
  isInheritable: 'boolean',
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

export function readNote(value: unknown): TriliumNote {
  const object = objectOf(value);
  return {
    ...pick<TriliumNote>(object, NOTE),
    parentNoteIds: stringsOf(object.parentNoteIds),
    childNoteIds: stringsOf(object.childNoteIds),
    parentBranchIds: stringsOf(object.parentBranchIds),
    childBranchIds: stringsOf(object.childBranchIds),
    attributes: listOf(object.attributes).map(readAttribute),
  };
}

export const readBranch = (value: unknown): Branch => pick<Branch>(objectOf(value), BRANCH);
export const readAttribute = (value: unknown): Attribute => pick<Attribute>(objectOf(value), ATTRIBUTE);
export const readAttachment = (value: unknown): Attachment => pick<Attachment>(objectOf(value), ATTACHMENT);
export const readAttachments = (value: unknown): Attachment[] => listOf(value).map(readAttachment);
export const readRevision = (value: unknown): Revision => pick<Revision>(objectOf(value), REVISION);
export const readRevisions = (value: unknown): Revision[] => listOf(value).map(readRevision);
export const readAppInfo = (value: unknown): AppInfo => pick<AppInfo>(objectOf(value), APP_INFO);
export const readHistory = (value: unknown): HistoryRow[] =>
  listOf(value).map((row) => pick<HistoryRow>(objectOf(row), HISTORY));

export function readCreated(value: unknown): CreatedNote {
  const { note, branch } = objectOf(value);
  return { note: readNote(note), branch: readBranch(branch) };
}

export function readSearch(value: unknown): SearchAnswer {
  const { results, debugInfo } = objectOf(value);
  return { results: listOf(results).map(readNote), ...(debugInfo !== undefined && { debugInfo }) };
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

function stringsOf(value: unknown): string[] {
  const list = listOf(value);
  if (!list.every((one) => typeof one === 'string')) throw notTrilium();
  return list;
}

/** The cast is what the table of fields, checked one by one, amounts to. */
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
