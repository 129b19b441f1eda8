/** Bodies of notes, attachments and revisions: how they come, how they go, what is done with them afterwards. */
import { type Answer, type FakeRequest, generic } from './answer.ts';
import { type Database, type NoteRow, randomId } from './database.ts';

const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/x-python': 'py',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/svg+xml': 'svg',
};

export function contentAnswer(title: string, kind: Kind, bytes: Buffer): Answer {
  const { mime } = kind;
  const name = encodeURIComponent(downloadName(title, mime));
  return {
    status: 200,
    headers: {
      'content-type': withCharset(mime),
      'content-disposition': `attachment; filename="${name}"; filename*=UTF-8''${name}`,
      'cache-control': 'no-cache, no-store, must-revalidate',
    },
    // Bytes that came before it was called a text are read as one now; they are still there.
    body: isText(kind) ? Buffer.from(bytes.toString()) : bytes,
  };
}

function downloadName(title: string, mime: string): string {
  const extension = EXTENSIONS[mime];
  return extension === undefined || /\.\w+$/.test(title) ? title : `${title}.${extension}`;
}

const STRING_ESSENCES = [
  'application/javascript',
  'application/x-javascript',
  'application/json',
  'application/x-sql',
  'application/inkml+xml',
  'image/svg+xml',
];

export function isStringMime(mime: string): boolean {
  const essence = mime.split(';')[0]?.trim() ?? '';
  return essence === '' || essence.startsWith('text/') || STRING_ESSENCES.includes(essence);
}

/** The charset goes right behind the essence, before whatever else the mime says. */
function withCharset(mime: string): string {
  if (!isStringMime(mime)) return mime;
  const [essence = '', ...rest] = mime.split(';').map((part) => part.trim());
  return [essence || 'text/html', 'charset=utf-8', ...rest].join('; ');
}

/** Only these two kinds reach the note, one as text and one as bytes; of any other the body is dropped. */
export function sentContent({ headers, body }: FakeRequest, of: string): Buffer {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim();
  if (type !== 'text/plain' && type !== 'application/octet-stream')
    throw generic(`Cannot set null content to ${of}`);
  return type === 'text/plain' ? asText(body) : body;
}

/** Of an attachment there is no type. */
interface Kind {
  readonly type?: string;
  readonly mime: string;
}

const isText = ({ type = 'file', mime }: Kind): boolean =>
  (type !== 'file' && type !== 'image') || mime.startsWith('text/') || STRING_ESSENCES.includes(mime);

/** Text is kept as UTF-8: what is not is replaced, and a byte order mark is dropped. All else stays as it came. */
export function asStored(kind: Kind, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as Buffer);
  return isText(kind) ? asText(bytes) : bytes;
}

function asText(bytes: Buffer): Buffer {
  return Buffer.from(new TextDecoder().decode(bytes));
}

export function setNoteContent(db: Database, note: NoteRow, content: string | Buffer): void {
  takeAutomaticRevision(db, note);
  note.blobId = db.store(asStored(note, content));
  db.touch(note);
}

/** At most every ten minutes, and only of notes older than that. */
export function takeAutomaticRevision(db: Database, note: NoteRow): void {
  const since = (utc: string) => db.nowMs - Date.parse(utc.replace(' ', 'T'));
  const revisions = [...db.revisions.values()].filter(({ noteId }) => noteId === note.noteId);
  const isDue = [note, ...revisions].every(({ utcDateCreated }) => since(utcDateCreated) > 600_000);
  if (isDue) takeRevision(db, note, { source: 'auto', description: '' });
}

export function takeRevision(
  db: Database,
  note: NoteRow,
  { source, description }: { source: string; description: string },
): void {
  const revisionId = randomId();
  db.revisions.set(revisionId, {
    revisionId,
    noteId: note.noteId,
    type: note.type,
    mime: note.mime,
    isProtected: note.isProtected,
    title: note.title,
    description,
    source,
    blobId: note.blobId,
    dateLastEdited: note.dateModified,
    dateCreated: db.local(),
    utcDateLastEdited: note.utcDateModified,
    utcDateCreated: db.utc(),
    utcDateModified: db.utc(),
  });
}

/** The work Trilium does by itself some time after a text was saved. */
export function afterContent(db: Database, noteId: string): void {
  const note = db.note(noteId);
  if (note?.type !== 'text') return;
  const html = db.content(note).toString();
  scheduleUnreferenced(db, noteId, html);
  takeInlineImages(db, note, html);
  const links = [...html.matchAll(/href="[^"]*#root\/([\w/]+)[^"]*"/g)].map((found) =>
    found[1]?.split('/').at(-1),
  );
  const images = [...html.matchAll(/src="[^"]*api\/images\/(\w+)\//g)].map((found) => found[1]);
  keepRelations(db, noteId, 'internalLink', links);
  keepRelations(db, noteId, 'imageLink', images);
}

function takeInlineImages(db: Database, note: NoteRow, before: string): void {
  const after = before.replace(
    /src="data:(image\/[\w+.-]+);base64,([^"]+)"/g,
    (_, mime: string, data: string) => {
      const title = `inline image.${EXTENSIONS[mime] ?? 'img'}`;
      const row = { ownerId: note.noteId, role: 'image', mime, title };
      const { attachmentId } = db.addAttachment(row, Buffer.from(data, 'base64'));
      return `src="api/attachments/${attachmentId}/image/inline%20image"`;
    },
  );
  if (after !== before) note.blobId = db.store(after);
}

function keepRelations(
  db: Database,
  noteId: string,
  name: string,
  targets: readonly (string | undefined)[],
): void {
  const wanted = new Set(targets.filter((target) => target !== undefined && db.note(target) !== undefined));
  for (const relation of db.ownAttributes(noteId).filter((one) => one.name === name)) {
    if (!wanted.delete(relation.value)) db.attributes.delete(relation.attributeId);
  }
  for (const value of wanted)
    if (value !== undefined) db.addAttribute({ noteId, type: 'relation', name, value });
}

/** A link to `…/download` does not count as one. */
function scheduleUnreferenced(db: Database, noteId: string, html: string): void {
  for (const attachment of db.attachments.values()) {
    if (attachment.ownerId !== noteId || attachment.deleteId !== undefined) continue;
    if (attachment.role !== 'image' && attachment.role !== 'file') continue;
    const { attachmentId } = attachment;
    const isReferenced =
      new RegExp(`src="[^"]*api/attachments/${attachmentId}/image`).test(html) ||
      new RegExp(`href="[^"]*attachmentId=${attachmentId}`).test(html);
    if (isReferenced === (attachment.scheduledSince === null)) continue;
    attachment.scheduledSince = isReferenced ? null : db.utc();
    db.touch(attachment);
  }
}
