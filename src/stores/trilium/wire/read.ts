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
type Fields = Readonly<Record<string, Kind | `${Kind}?` | 'string|null' | 'string|null?'>>;

const NOTE: Fields = {
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
};
const NOTE_LISTS = ['parentNoteIds', 'childNoteIds', 'parentBranchIds', 'childBranchIds'] as const;
const BRANCH: Fields = {
  branchId: 'string',
  noteId: 'string',
  parentNoteId: 'string',
  prefix: 'string|null',
  notePosition: 'number',
  isExpanded: 'boolean',
  utcDateModified: 'string',
};
const ATTRIBUTE: Fields = {
  attributeId: 'string',
  noteId: 'string',
  type: 'string',
  name: 'string',
  value: 'string',
  position: 'number',
  isInheritable: 'boolean',
  utcDateModified: 'string',
};
const ATTACHMENT: Fields = {
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
};
const REVISION: Fields = {
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
};
const HISTORY: Fields = {
  noteId: 'string',
  current_isDeleted: 'number',
  current_deleteId: 'string|null',
  current_title: 'string',
  current_isProtected: 'number',
  title: 'string',
  utcDate: 'string',
  date: 'string',
  canBeUndeleted: 'boolean?',
};
const APP_INFO: Fields = {
  appVersion: 'string',
  dbVersion: 'number?',
  syncVersion: 'number?',
  buildDate: 'string?',
  buildRevision: 'string?',
  clipperProtocolVersion: 'string?',
  utcDateTime: 'string?',
  nodeVersion: 'string?',
};

export function readNote(value: unknown): TriliumNote {
  const object = objectOf(value);
  const lists = NOTE_LISTS.map((name) => [name, stringsOf(object[name])]);
  return {
    ...pick<TriliumNote>(object, NOTE),
    ...(Object.fromEntries(lists) as Pick<TriliumNote, (typeof NOTE_LISTS)[number]>),
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
function pick<T>(object: Readonly<Record<string, unknown>>, fields: Fields): T {
  const entries = Object.entries(fields).flatMap(([name, kind]) => {
    const value = object[name];
    if (value === undefined && kind.endsWith('?')) return [];
    if (value === null && (kind.includes('|null') || kind.endsWith('?'))) return [[name, null] as const];
    if (typeof value !== kind.replace(/[|?].*$/, '')) throw notTrilium();
    return [[name, value] as const];
  });
  return Object.fromEntries(entries) as T;
}
