/**
 * Attachments that stay. Trilium erases those of role image and file that the text of their note does not refer
 * to, and only two ways of referring count: an image's `src`, and a link with `attachmentId=`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TriliumClient } from './client.ts';
import { byteKeepingMime, hasArrived, notArrived } from './stored-bytes.ts';
import type { Attachment, CallOptions } from './wire/types.ts';

export interface AttachmentToAdd {
  readonly ownerId: string;
  readonly role: string;
  readonly mime: string;
  readonly title: string;
  readonly position?: number | undefined;
  readonly body: string | Uint8Array;
}

type Client = Pick<TriliumClient, 'attachments'>;

/** As it is with its very bytes in it; nothing stays behind when they do not arrive. Its mime is one that keeps them. */
export async function addAttachment(
  { attachments }: Client,
  { body, ...rest }: AttachmentToAdd,
  options?: CallOptions,
): Promise<Attachment> {
  const mime = byteKeepingMime({ mime: rest.mime }, body, rest.title);
  const isText = typeof body === 'string';
  const { attachmentId } = await attachments.create({ ...rest, mime, content: isText ? body : '' }, options);
  try {
    if (!isText) await attachments.putContent(attachmentId, body, options);
    const added = await attachments.get(attachmentId, options);
    if (await hasArrived(body, added, () => attachments.content(attachmentId, options))) return added;
    throw notArrived(rest.title, 'The attachment was taken away again; nothing stays.');
  } catch (error) {
    // What went wrong is the answer; a second failure would only hide it.
    await attachments.remove(attachmentId).catch(() => undefined);
    throw error;
  }
}

/** For the `src` of an image. */
export function imageSource({ attachmentId }: Pick<Attachment, 'attachmentId'>, filename: string): string {
  return `api/attachments/${attachmentId}/image/${encodeURIComponent(filename.toWellFormed())}`;
}

/** For the `href` of a link, escaped as an attribute has to be. */
export function fileLink(noteId: string, { attachmentId }: Pick<Attachment, 'attachmentId'>): string {
  return `#root/${noteId}?viewMode=attachments&amp;attachmentId=${attachmentId}`;
}

const LOOK_AGAIN_MS = 100;
/** Trilium looks at a text within half a second after it was saved. */
const PATIENCE_MS = 2_000;

/** Those of them that Trilium is going to erase, after it has had time to see the text that refers to them. */
export async function scheduledForErasure(
  { attachments }: Client,
  attachmentIds: readonly string[],
  { patienceMs = PATIENCE_MS, ...options }: CallOptions & { readonly patienceMs?: number } = {},
): Promise<string[]> {
  const deadline = Date.now() + patienceMs;
  let left = [...attachmentIds];
  for (;;) {
    const states = await Promise.all(left.map((id) => attachments.get(id, options)));
    left = states
      .filter((one) => one.utcDateScheduledForErasureSince != null)
      .map(({ attachmentId }) => attachmentId);
    if (left.length === 0 || Date.now() >= deadline) return left;
    await sleep(LOOK_AGAIN_MS, undefined, { signal: options.signal });
  }
}
