/**
 * Changing what an attachment holds, as `write-content.ts` does for notes: conditional on its `blobId`, after a revision
 * of the note it belongs to, which keeps a copy of its attachments. Writes of this process to one wait for each other.
 */
import { AppError } from '../../shared/errors.ts';
import { KeyedQueue } from '../../shared/keyed-queue.ts';
import type { TriliumClient } from './client.ts';
import { isTextMime } from './content-kind.ts';
import { takeRevision } from './take-revision.ts';
import type { AttachmentPatch } from './wire/attachments.ts';
import type { Attachment } from './wire/types.ts';
import type { WriteOptions } from './write-content.ts';

export interface NewContent {
  readonly body: string | Uint8Array;
  /** Where it is another than before. */
  readonly mime?: string | undefined;
}

export interface WrittenAttachment {
  readonly attachment: Attachment;
  readonly isChanged: boolean;
}

export interface AttachmentWriter {
  replace(
    attachmentId: string,
    content: (attachment: Attachment) => NewContent,
    options?: WriteOptions,
  ): Promise<WrittenAttachment>;
  /** Always conditional on what was read. */
  change(
    attachmentId: string,
    compute: (text: string) => string,
    options?: WriteOptions,
  ): Promise<WrittenAttachment>;
  /** Role, mime, title and position. */
  describe(attachmentId: string, patch: AttachmentPatch, options?: WriteOptions): Promise<Attachment>;
  /** As it was. */
  remove(attachmentId: string, options?: WriteOptions): Promise<Attachment>;
}

type Client = Pick<TriliumClient, 'attachments' | 'revisions'>;

export function createAttachmentWriter(client: Client): AttachmentWriter {
  const queue = new KeyedQueue();
  const { attachments } = client;
  const expected = async (attachmentId: string, options: WriteOptions) => {
    const attachment = await attachments.get(attachmentId, options);
    assertBlob(attachment, options.expectedBlobId);
    return attachment;
  };
  const put = async (before: Attachment, { body, mime }: NewContent, options: WriteOptions) => {
    const { attachmentId, ownerId } = before;
    await takeRevision(client, ownerId, 'before a change of an attachment through Quire', options);
    if (options.expectedBlobId !== undefined) await expected(attachmentId, options);
    await attachments.putContent(attachmentId, body, options);
    if (mime !== undefined && mime !== before.mime) await attachments.patch(attachmentId, { mime }, options);
    const attachment = await attachments.get(attachmentId, options);
    return { attachment, isChanged: attachment.blobId !== before.blobId };
  };
  return {
    replace: (attachmentId, content, options = {}) =>
      queue.run(attachmentId, async () => {
        const before = await expected(attachmentId, options);
        return put(before, content(before), options);
      }),
    change: (attachmentId, compute, options = {}) =>
      queue.run(attachmentId, async () => {
        const before = await expected(attachmentId, options);
        const text = await attachedText(client, before, options);
        const body = compute(text);
        if (body === text) return { attachment: before, isChanged: false };
        return put(before, { body }, { ...options, expectedBlobId: before.blobId });
      }),
    describe: (attachmentId, patch, options = {}) =>
      queue.run(attachmentId, async () => {
        await expected(attachmentId, options);
        return attachments.patch(attachmentId, patch, options);
      }),
    remove: (attachmentId, options = {}) =>
      queue.run(attachmentId, async () => {
        const before = await expected(attachmentId, options);
        await takeRevision(client, before.ownerId, 'before an attachment was deleted through Quire', options);
        await attachments.remove(attachmentId, options);
        return before;
      }),
  };
}

async function attachedText(
  { attachments }: Pick<TriliumClient, 'attachments'>,
  { attachmentId, mime }: Attachment,
  options?: WriteOptions,
): Promise<string> {
  const notText = (cause?: unknown) =>
    new AppError('unsupported', 'The attachment holds no text', {
      subject: attachmentId,
      hint: `It is ${mime.slice(0, 80)}. Replace it as a whole instead; nothing was changed.`,
      cause,
    });
  if (!isTextMime(mime)) throw notText();
  const { bytes } = await attachments.content(attachmentId, options);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw notText(cause);
  }
}

function assertBlob({ attachmentId, blobId }: Attachment, expected: string | undefined): void {
  if (expected === undefined || blobId === expected) return;
  throw new AppError('conflict', 'The attachment was changed meanwhile', {
    subject: attachmentId,
    hint: `Its blobId is ${blobId} now, not ${expected.slice(0, 40)}. Read it again and make the change on what stands there now. Nothing was written.`,
  });
}
