/**
 * Changes attachments as `write-content.ts` changes notes: conditional on the `blobId`, and after a revision of the
 * owning note, which keeps a copy of its attachments. Writes to one attachment are serialized.
 */
import { KeyedMutex } from '../../shared/async/keyed-mutex.ts';
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import { isTextMime, utf8Text } from './content-kind.ts';
import { assertExpected, type WriteOptions, withRevisionFirst } from './revisions.ts';
import { byteKeepingMime, hasArrived, notArrived, putBytes } from './stored-bytes.ts';
import type { Attachment } from './wire/entities.ts';
import type { AttachmentPatch } from './wire/notes.ts';
import { createWriteLocks, type WriteLock } from './write-lock.ts';

interface NewContent {
  readonly body: string | Uint8Array;
  /** Set if it changes. */
  readonly mime?: string | undefined;
}

interface WrittenAttachment {
  readonly attachment: Attachment;
  readonly isChanged: boolean;
}

export type AttachmentWriter = ReturnType<typeof createAttachmentWriter>;

type Client = Pick<TriliumClient, 'host' | 'attachments' | 'revisions'>;

export function createAttachmentWriter(
  client: Client,
  lock: WriteLock = createWriteLocks()(client.host),
  queue: KeyedMutex = new KeyedMutex(),
) {
  const alone = <T>(attachmentId: string, work: () => Promise<T>): Promise<T> =>
    queue.run(attachmentId, () => lock(attachmentId, work));
  const { attachments } = client;
  const expected = async (attachmentId: string, options: WriteOptions) => {
    const attachment = await attachments.get(attachmentId);
    assertExpected(attachment, options);
    return attachment;
  };
  const kept = (before: Attachment, what: string, options: WriteOptions) =>
    withRevisionFirst(before, {
      keep: () => client.revisions.create(before.ownerId, `before an attachment was ${what} through Quire`),
      look: () => expected(before.attachmentId, options),
    });
  const put = async (before: Attachment, { body, mime }: NewContent, options: WriteOptions) => {
    const { attachmentId } = before;
    byteKeepingMime({ mime: mime ?? before.mime }, body, attachmentId);
    const last = await kept(before, 'changed', options);
    const holder = {
      mime: last.mime,
      put: (content: string | Uint8Array) => attachments.putContent(attachmentId, content),
      patch: (other: string) => attachments.patch(attachmentId, { mime: other }),
    };
    await putBytes(holder, body, mime ?? last.mime);
    const attachment = await attachments.get(attachmentId);
    if (!(await hasArrived(body, attachment, () => attachments.content(attachmentId))))
      throw notArrived(attachmentId, 'Read it again; what was there before is in a revision of its note.');
    return { attachment, isChanged: attachment.blobId !== last.blobId };
  };
  return {
    replace: (
      attachmentId: string,
      content: (attachment: Attachment) => NewContent | Promise<NewContent>,
      options: WriteOptions = {},
    ): Promise<WrittenAttachment> =>
      alone(attachmentId, async () => {
        const before = await expected(attachmentId, options);
        return put(before, await content(before), options);
      }),
    /** Always conditional on the text that was read. */
    change: (
      attachmentId: string,
      compute: (text: string, attachment: Attachment) => string | Promise<string>,
      options: WriteOptions = {},
    ): Promise<WrittenAttachment> =>
      alone(attachmentId, async () => {
        const before = await expected(attachmentId, options);
        const text = await attachedText(client, before);
        const body = await compute(text, before);
        if (body === text) return { attachment: before, isChanged: false };
        return put(before, { body }, { ...options, expectedBlobId: before.blobId });
      }),
    /** Changes role, MIME type, title and position. */
    describe: (
      attachmentId: string,
      patch: AttachmentPatch,
      options: WriteOptions = {},
    ): Promise<Attachment> =>
      alone(attachmentId, async () => {
        const before = await expected(attachmentId, options);
        const isOther = (['role', 'mime', 'title', 'position'] as const).some(
          (name) => patch[name] !== undefined && patch[name] !== before[name],
        );
        if (!isOther) return before;
        await kept(before, 'changed', options);
        return attachments.patch(attachmentId, patch);
      }),
    /** Returns the removed attachment. */
    remove: (attachmentId: string, options: WriteOptions = {}): Promise<Attachment> =>
      alone(attachmentId, async () => {
        const last = await kept(await expected(attachmentId, options), 'deleted', options);
        await attachments.remove(attachmentId);
        return last;
      }),
  };
}

async function attachedText(
  { attachments }: Pick<TriliumClient, 'attachments'>,
  { attachmentId, mime }: Attachment,
): Promise<string> {
  const text = isTextMime(mime) ? utf8Text((await attachments.content(attachmentId)).bytes) : undefined;
  if (text !== undefined) return text;
  throw new AppError('unsupported', 'The attachment holds no text', {
    subject: attachmentId,
    hint: `It is ${mime.slice(0, 80)}. Replace it as a whole instead; nothing was changed.`,
  });
}
