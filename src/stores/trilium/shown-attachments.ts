/**
 * Attachments as they may be shown. An attachment does not say that its note is protected, in which case its title
 * is ciphertext.
 */
import type { TriliumClient } from './client.ts';
import { PROTECTED_TITLE } from './wire/read.ts';
import type { Attachment, CallOptions, TriliumNote } from './wire/types.ts';

type Client = Pick<TriliumClient, 'notes' | 'attachments'>;

export async function listAttachments(
  { notes, attachments }: Client,
  noteId: string,
  options?: CallOptions,
): Promise<Attachment[]> {
  const [all, owner] = await Promise.all([attachments.list(noteId, options), notes.get(noteId, options)]);
  return all.map((attachment) => shownAttachment(attachment, owner));
}

/** Reads the owning note to decide. */
export async function showAttachment(
  { notes }: Pick<Client, 'notes'>,
  attachment: Attachment,
  options?: CallOptions,
): Promise<Attachment> {
  return shownAttachment(attachment, await notes.get(attachment.ownerId, options));
}

function shownAttachment(attachment: Attachment, { isProtected }: TriliumNote): Attachment {
  return isProtected ? { ...attachment, title: PROTECTED_TITLE } : attachment;
}
