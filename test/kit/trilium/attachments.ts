/** Files that belong to a note. */
import { type Answer, type FakeRequest, generic, json, jsonBody, notFound, nothing } from './answer.ts';
import { asStored, contentAnswer, sentContent } from './content.ts';
import { type AttachmentRow, alive, randomId } from './database.ts';
import { findNote, LOCKED } from './notes.ts';
import { anything, checkProperties, existingNote, integer, text } from './properties.ts';
import type { Trilium } from './trilium.ts';
import { attachmentView, newAttachmentView } from './views.ts';

export function postAttachment({ db }: Trilium, asked: FakeRequest): Answer {
  const body = jsonBody(asked);
  checkProperties(body, {
    ownerId: existingNote(db),
    role: text,
    mime: text,
    title: text,
    content: anything,
    position: integer,
  });
  const given = body as unknown as AttachmentRow & { content?: string };
  if (given.ownerId === undefined) throw generic('Missing owner ID.');
  for (const name of ['role', 'mime', 'title'] as const)
    if ((given[name] ?? '').trim() === '')
      throw generic(`'${name}' must be given to initialize a Attachment entity`);
  if (db.note(given.ownerId)?.isProtected && !db.isUnlocked) throw generic(LOCKED);
  const attachment = db.addAttachment(given, given.content ?? '');
  return json(newAttachmentView(db, attachment), 201);
}

function findAttachment({ db }: Trilium, attachmentId: string): AttachmentRow {
  const attachment = alive(db.attachments.get(attachmentId));
  if (!attachment) throw notFound('Attachment', attachmentId);
  return attachment;
}

export function getAttachment(trilium: Trilium, { params: [attachmentId = ''] }: FakeRequest): Answer {
  return json(attachmentView(trilium.db, findAttachment(trilium, attachmentId)));
}

export function patchAttachment(trilium: Trilium, asked: FakeRequest): Answer {
  const attachment = findAttachment(trilium, asked.params[0] ?? '');
  const body = jsonBody(asked);
  checkProperties(body, { role: text, mime: text, title: text, position: integer });
  Object.assign(attachment, body);
  trilium.db.touch(attachment);
  return json(attachmentView(trilium.db, attachment));
}

export function removeAttachment({ db }: Trilium, { params: [attachmentId = ''] }: FakeRequest): Answer {
  const attachment = alive(db.attachments.get(attachmentId));
  if (attachment) attachment.deleteId = randomId(10);
  return nothing;
}

export function getAttachmentContent(trilium: Trilium, { params: [attachmentId = ''] }: FakeRequest): Answer {
  const attachment = findAttachment(trilium, attachmentId);
  return contentAnswer(attachment.title, { mime: attachment.mime }, trilium.db.content(attachment));
}

export function putAttachmentContent(trilium: Trilium, asked: FakeRequest): Answer {
  const attachment = findAttachment(trilium, asked.params[0] ?? '');
  const sent = sentContent(asked, `attachmentId '${attachment.attachmentId}'`);
  attachment.blobId = trilium.db.store(asStored({ mime: attachment.mime }, sent));
  trilium.db.touch(attachment);
  return nothing;
}

export function listAttachments({ db }: Trilium, { params: [noteId = ''] }: FakeRequest): Answer {
  findNote(db, noteId);
  const mine = [...db.attachments.values()].filter(
    (one) => one.ownerId === noteId && one.deleteId === undefined,
  );
  mine.sort((a, b) => a.position - b.position || (a.utcDateModified < b.utcDateModified ? -1 : 1));
  return json(mine.map((one) => attachmentView(db, one)));
}
