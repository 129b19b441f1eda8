/**
 * Uploads attachments so that Trilium keeps them. Trilium erases attachments of role image and file that the note's
 * text does not refer to; only an image `src` and a link with `attachmentId=` count as references.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TriliumClient } from './client.ts';
import { byteKeepingMime, hasArrived, notArrived } from './stored-bytes.ts';
import { type Attachment, PROTECTED_TITLE, type TriliumNote } from './wire/entities.ts';

export interface AttachmentToAdd {
  readonly ownerId: string;
  readonly role: string;
  readonly mime: string;
  readonly title: string;
  readonly position?: number | undefined;
  readonly body: string | Uint8Array;
}

type Client = Pick<TriliumClient, 'attachments'>;

/**
 * Creates the attachment with its bytes verified, or leaves nothing behind. The MIME type must be one that keeps
 * bytes unchanged.
 */
export async function addAttachment(
  { attachments }: Client,
  { body, ...rest }: AttachmentToAdd,
): Promise<Attachment> {
  const mime = byteKeepingMime({ mime: rest.mime }, body, rest.title);
  const isText = typeof body === 'string';
  const { attachmentId } = await attachments.create({ ...rest, mime, content: isText ? body : '' });
  try {
    if (!isText) await attachments.putContent(attachmentId, body);
    const added = await attachments.get(attachmentId);
    if (await hasArrived(body, added, () => attachments.content(attachmentId))) return added;
    throw notArrived(rest.title, 'The attachment was removed again; nothing was kept.');
  } catch (error) {
    // The first error is reported; a failure of the clean-up would only hide it.
    await attachments.remove(attachmentId).catch(() => undefined);
    throw error;
  }
}

/** `src` of an image attachment. */
export function imageSource({ attachmentId }: Pick<Attachment, 'attachmentId'>, filename: string): string {
  return `api/attachments/${attachmentId}/image/${encodeURIComponent(filename.toWellFormed())}`;
}

/** `href` of a link to a file attachment, HTML-escaped. */
export function fileLink(noteId: string, { attachmentId }: Pick<Attachment, 'attachmentId'>): string {
  return `#root/${noteId}?viewMode=attachments&amp;attachmentId=${attachmentId}`;
}

const LOOK_AGAIN_MS = 100;
/** Trilium scans a text for references within half a second after it is saved. */
const PATIENCE_MS = 2_000;

/** Attachments that Trilium has scheduled for erasure, checked after it had time to scan the text. */
export async function scheduledForErasure(
  { attachments }: Client,
  attachmentIds: readonly string[],
  patienceMs = PATIENCE_MS,
): Promise<string[]> {
  const deadline = Date.now() + patienceMs;
  let left = [...attachmentIds];
  for (;;) {
    const states = await Promise.all(left.map((id) => attachments.get(id)));
    left = states
      .filter((one) => one.utcDateScheduledForErasureSince != null)
      .map(({ attachmentId }) => attachmentId);
    if (left.length === 0 || Date.now() >= deadline) return left;
    await sleep(LOOK_AGAIN_MS);
  }
}

export async function listAttachments(
  { notes, attachments }: Pick<TriliumClient, 'notes' | 'attachments'>,
  noteId: string,
): Promise<Attachment[]> {
  const [all, owner] = await Promise.all([attachments.list(noteId), notes.get(noteId)]);
  return all.map((attachment) => shownAttachment(attachment, owner));
}

/** The attachment as it may be shown; reads the owning note to decide. */
export async function showAttachment(
  { notes }: Pick<TriliumClient, 'notes'>,
  attachment: Attachment,
): Promise<Attachment> {
  return shownAttachment(attachment, await notes.get(attachment.ownerId));
}

/** An attachment does not say that its note is protected, in which case its title is ciphertext. */
function shownAttachment(attachment: Attachment, { isProtected }: TriliumNote): Attachment {
  return isProtected ? { ...attachment, title: PROTECTED_TITLE } : attachment;
}
