/** Notes: making, reading, changing, deleting, and what became of them. */
import {
  type Answer,
  etapiError,
  type FakeRequest,
  generic,
  json,
  jsonBody,
  notFound,
  nothing,
} from './answer.ts';
import {
  contentAnswer,
  sentContent,
  setNoteContent,
  takeAutomaticRevision,
  takeRevision,
} from './content.ts';
import type { Database, NoteRow } from './database.ts';
import { canBeUndeleted, deleteNote, undeleteNote } from './deletion.ts';
import {
  anything,
  checkProperties,
  entityId,
  existingNote,
  flag,
  integer,
  localDate,
  noteType,
  text,
  textOrNull,
  utcDate,
} from './properties.ts';
import type { Trilium } from './trilium.ts';
import { branchView, noteView, shownTitle } from './views.ts';

const MIMES: Readonly<Record<string, string>> = {
  text: 'text/html',
  code: 'text/plain',
  file: 'application/octet-stream',
  mermaid: 'text/mermaid',
  canvas: 'application/json',
  relationMap: 'application/json',
  search: 'application/json',
  mindMap: 'application/json',
};

export function findNote(db: Database, noteId: string): NoteRow {
  const note = db.note(noteId);
  if (!note) throw notFound('Note', noteId);
  return note;
}

export function findWritableNote(db: Database, noteId: string): NoteRow {
  const note = findNote(db, noteId);
  if (note.isProtected)
    throw etapiError(
      400,
      'NOTE_IS_PROTECTED',
      `Note '${noteId}' is protected and cannot be modified through ETAPI.`,
    );
  return note;
}

export function createNote(trilium: Trilium, asked: FakeRequest): Answer {
  const { db } = trilium;
  const body = jsonBody(asked);
  checkProperties(body, {
    parentNoteId: existingNote(db),
    title: text,
    type: noteType,
    mime: text,
    content: anything,
    notePosition: integer,
    prefix: textOrNull,
    isExpanded: flag,
    noteId: entityId,
    dateCreated: localDate,
    utcDateCreated: utcDate,
  });
  const given = body as Partial<NoteRow> & { parentNoteId: string; content?: string; prefix?: string };
  const type = given.type ?? 'text';
  const mime = given.mime ?? MIMES[type] ?? '';
  if (type === 'image' && !mime.startsWith('image/'))
    throw etapiError(
      400,
      'INVALID_MIME_FOR_IMAGE',
      `MIME type '${mime}' is not allowed for image notes. MIME must start with 'image/'.`,
    );
  if (typeof given.content !== 'string') throw generic('Note content must be set');
  const { noteId, dateCreated, utcDateCreated } = given;
  const note = db.addNote(
    {
      title: given.title ?? 'New note',
      type,
      mime,
      ...(noteId !== undefined && { noteId }),
      ...(dateCreated !== undefined && { dateCreated }),
      ...(utcDateCreated !== undefined && { utcDateCreated }),
    },
    given.content,
  );
  const branch = db.addBranch(note.noteId, given.parentNoteId, body);
  trilium.later(note.noteId);
  return json({ note: noteView(db, note), branch: branchView(branch) }, 201);
}

export function getNote({ db }: Trilium, { params: [noteId = ''] }: FakeRequest): Answer {
  return json(noteView(db, findNote(db, noteId)));
}

/** The type is not looked at. */
export function patchNote({ db }: Trilium, asked: FakeRequest): Answer {
  const note = findWritableNote(db, asked.params[0] ?? '');
  const body = jsonBody(asked);
  checkProperties(body, {
    title: text,
    type: text,
    mime: text,
    dateCreated: localDate,
    utcDateCreated: utcDate,
  });
  takeAutomaticRevision(db, note);
  Object.assign(note, body);
  db.touch(note);
  return json(noteView(db, note));
}

export function removeNote({ db }: Trilium, { params: [noteId = ''] }: FakeRequest): Answer {
  deleteNote(db, noteId);
  return nothing;
}

export function getContent({ db }: Trilium, { params: [noteId = ''] }: FakeRequest): Answer {
  const note = findNote(db, noteId);
  if (note.isProtected)
    throw etapiError(
      400,
      'NOTE_IS_PROTECTED',
      `Note '${noteId}' is protected and content cannot be read through ETAPI.`,
    );
  return contentAnswer(note.title, note, db.content(note));
}

export function putContent(trilium: Trilium, asked: FakeRequest): Answer {
  const { db } = trilium;
  const note = findWritableNote(db, asked.params[0] ?? '');
  setNoteContent(db, note, sentContent(asked, `noteId '${note.noteId}'`));
  trilium.later(note.noteId);
  return nothing;
}

export function postRevision({ db, isAtLeast }: Trilium, asked: FakeRequest): Answer {
  const note = findNote(db, asked.params[0] ?? '');
  const { description } = jsonBody(asked);
  if (note.isProtected && !db.isUnlocked) throw generic(LOCKED);
  takeRevision(db, note, {
    source: 'etapi',
    description: isAtLeast('0.103') && typeof description === 'string' ? description : '',
  });
  return nothing;
}

export function undelete({ db }: Trilium, { params: [noteId = ''] }: FakeRequest): Answer {
  if (!db.notes.has(noteId)) throw notFound('Note', noteId);
  undeleteNote(db, noteId);
  return json({ success: true });
}

/** The error of encrypting without the key. */
export const LOCKED = 'Cannot encrypt a protected entity: the protected session is not available';

const MAX_HISTORY = 500;

export function history({ db }: Trilium, { query }: FakeRequest): Answer {
  const inside = everBelow(db, query.get('ancestorNoteId') ?? 'root');
  const rowsOf = (note: NoteRow) => {
    const now = {
      noteId: note.noteId,
      current_isDeleted: note.deleteId === undefined ? 0 : 1,
      current_deleteId: note.deleteId ?? null,
      current_title: shownTitle(db, note),
      current_isProtected: note.isProtected ? 1 : 0,
    };
    const rest = note.deleteId === undefined ? {} : { canBeUndeleted: canBeUndeleted(db, note.noteId) };
    const row = (title: string, utcDate: string, date: string) => ({ ...now, title, utcDate, date, ...rest });
    return [
      ...(note.deleteId === undefined
        ? []
        : [row(shownTitle(db, note), note.utcDateModified, note.dateModified)]),
      row(shownTitle(db, note), note.utcDateCreated, note.dateCreated),
      ...[...db.revisions.values()]
        .filter(({ noteId }) => noteId === note.noteId)
        .map((revision) => row(shownTitle(db, revision), revision.utcDateCreated, revision.dateCreated)),
    ];
  };
  const rows = [...db.notes.values()].filter(({ noteId }) => inside.has(noteId)).flatMap(rowsOf);
  rows.sort((a, b) => (a.utcDate < b.utcDate ? 1 : a.utcDate > b.utcDate ? -1 : 0));
  return json(rows.slice(0, MAX_HISTORY));
}

/** Ids of the notes that are or were below a note, itself included. */
function everBelow(db: Database, ancestorNoteId: string): ReadonlySet<string> {
  const inside = new Set(db.notes.has(ancestorNoteId) ? [ancestorNoteId] : []);
  for (const noteId of inside)
    for (const branch of db.branches.values()) if (branch.parentNoteId === noteId) inside.add(branch.noteId);
  return inside;
}
