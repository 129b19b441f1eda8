/** Subtrees as ZIP files, out and in. */
import { type Answer, bareError, etapiError, type FakeRequest, json } from './answer.ts';
import type { BranchRow, Database } from './database.ts';
import { findNote } from './notes.ts';
import type { Trilium } from './trilium.ts';
import { branchView, noteView } from './views.ts';
import { unzip, zip } from './zip.ts';

interface Meta {
  readonly title: string;
  readonly type: string;
  readonly mime: string;
  readonly prefix?: string | null;
  readonly isExpanded?: boolean;
  readonly attributes?: readonly { type: string; name: string; value: string; isInheritable: boolean }[];
  readonly attachments?: readonly { title: string; role: string; mime: string; dataFileName: string }[];
  readonly dataFileName?: string;
  readonly children?: readonly Meta[];
}

export function exportNote({ db, version, isAtLeast }: Trilium, asked: FakeRequest): Answer {
  const note = findNote(db, asked.params[0] ?? '');
  const format = asked.query.get('format') ?? 'html';
  if (!['html', 'markdown', ...(isAtLeast('0.99.4') ? ['share'] : [])].includes(format))
    throw etapiError(
      400,
      'UNRECOGNIZED_EXPORT_FORMAT',
      `Unrecognized export format '${format}', supported values are 'html' (default), 'markdown' or 'share'.`,
    );
  const files: [string, Buffer][] = [];
  const branch = db.parentBranches(note.noteId)[0];
  const meta = {
    formatVersion: 2,
    appVersion: version,
    files: branch ? [metaOf(db, branch, [], files)] : [],
  };
  const name = encodeURIComponent(`${note.title}.zip`);
  return {
    status: 200,
    headers: {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="${name}"; filename*=UTF-8''${name}`,
    },
    body: zip([['!!!meta.json', Buffer.from(JSON.stringify(meta, null, '\t'))], ...files]),
  };
}

function metaOf(
  db: Database,
  branch: BranchRow,
  above: readonly string[],
  files: [string, Buffer][],
): unknown {
  const note = findNote(db, branch.noteId);
  const notePath = [...above, note.noteId];
  const children = db.childBranches(note.noteId);
  const content = db.content(note);
  const dataFileName = `${notePath.join('/')}.data`;
  if (content.length > 0) files.push([dataFileName, content]);
  const attachments = [...db.attachments.values()].filter(
    ({ ownerId, deleteId }) => ownerId === note.noteId && deleteId === undefined,
  );
  for (const attachment of attachments)
    files.push([`${dataFileName}/${attachment.attachmentId}`, db.content(attachment)]);
  return {
    isClone: false,
    noteId: note.noteId,
    notePath,
    title: note.title,
    notePosition: branch.notePosition,
    prefix: branch.prefix,
    isExpanded: branch.isExpanded,
    type: note.type,
    mime: note.mime,
    attributes: db.ownAttributes(note.noteId).map(({ type, name, value, isInheritable, position }) => ({
      type,
      name,
      value,
      isInheritable,
      position,
    })),
    attachments: attachments.map(({ attachmentId, title, role, mime }) => ({
      attachmentId,
      title,
      role,
      mime,
      dataFileName: `${dataFileName}/${attachmentId}`,
    })),
    ...(content.length > 0 && { dataFileName }),
    ...(children.length > 0 && {
      dirFileName: note.title,
      children: children.map((child) => metaOf(db, child, notePath, files)),
    }),
  };
}

export function importZip({ db }: Trilium, asked: FakeRequest): Answer {
  const parent = findNote(db, asked.params[0] ?? '');
  if (!(asked.headers['content-type'] ?? '').startsWith('application/octet-stream'))
    throw bareError(500, "Cannot read properties of undefined (reading 'path')");
  const files = unzip(asked.body);
  const meta = JSON.parse(files.get('!!!meta.json')?.toString() ?? '{"files":[]}') as { files: Meta[] };
  const [first] = meta.files.map((one) => importOne(db, one, parent.noteId, files));
  if (!first) throw bareError(500, 'Nothing in it');
  return json({ note: noteView(db, findNote(db, first.noteId)), branch: branchView(first) }, 201);
}

function importOne(db: Database, meta: Meta, parentNoteId: string, files: Map<string, Buffer>): BranchRow {
  const content = files.get(meta.dataFileName ?? '') ?? Buffer.alloc(0);
  const note = db.addNote({ title: meta.title, type: meta.type, mime: meta.mime }, content);
  const branch = db.addBranch(note.noteId, parentNoteId, {
    prefix: meta.prefix ?? null,
    isExpanded: meta.isExpanded ?? false,
  });
  for (const { type, name, value, isInheritable } of meta.attributes ?? [])
    db.addAttribute({ noteId: note.noteId, type, name, value, isInheritable });
  for (const { title, role, mime, dataFileName } of meta.attachments ?? [])
    db.addAttachment({ ownerId: note.noteId, title, role, mime }, files.get(dataFileName) ?? Buffer.alloc(0));
  for (const child of meta.children ?? []) importOne(db, child, note.noteId, files);
  return branch;
}
