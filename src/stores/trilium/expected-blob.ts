/** The condition ETAPI does not have: a change is made only onto the content its caller has read. */
import { createHash } from 'node:crypto';
import { AppError } from '../../shared/errors.ts';
import type { CallOptions } from './wire/types.ts';

/** The id that Trilium gives to a content: the beginning of its hash, without the two signs an address cannot hold. */
export function blobIdOf(content: string | Uint8Array): string {
  const hash = createHash('sha512').update(content).digest('base64');
  return hash.replaceAll('+', 'X').replaceAll('/', 'Y').slice(0, 20);
}

export interface WriteOptions extends CallOptions {
  /** The `blobId` the caller read; the write is refused when there is another by now. */
  readonly expectedBlobId?: string | undefined;
}

interface Content {
  readonly blobId: string;
  readonly noteId?: string;
  readonly attachmentId?: string;
}

/** Throws a conflict that says what to do. */
export function assertExpected(
  { blobId, noteId, attachmentId = '' }: Content,
  { expectedBlobId }: WriteOptions,
): void {
  if (expectedBlobId === undefined || blobId === expectedBlobId) return;
  throw new AppError(
    'conflict',
    `The ${noteId === undefined ? 'attachment' : 'note'} was changed meanwhile`,
    {
      subject: noteId ?? attachmentId,
      hint: `Its blobId is ${blobId} now, not ${expectedBlobId.slice(0, 40)}. Read it again and make the change on what stands there now. Nothing was written.`,
    },
  );
}
