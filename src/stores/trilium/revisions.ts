/** A copy of a note as it is, in Trilium's own list of revisions, before something is done that cannot be undone. */

import { createHash } from 'node:crypto';
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import type { CallOptions, TriliumNote } from './wire/types.ts';

/** Trilium's own copies come every ten minutes at most, and not of young notes. */
export function takeRevision(
  { revisions }: Pick<TriliumClient, 'revisions'>,
  noteId: string,
  reason: string,
  options?: CallOptions,
): Promise<void> {
  return revisions.create(noteId, reason, options);
}

/** Whoever changes a note that often is at work on it. */
const MOST_TRIES = 3;

interface RevisionGuard<T> {
  /** Puts a copy of what stands there among the revisions. */
  keep(): Promise<void>;
  /** What stands there now; throws where the caller wants no other than he knows. */
  look(): Promise<T>;
}

/**
 * What stands there, looked at after a revision of the very same was taken: what somebody changed in between is kept
 * too. Only a change after that look is in no revision.
 */
export async function withRevisionFirst<T extends { readonly blobId: string }>(
  first: T,
  { keep, look }: RevisionGuard<T>,
): Promise<T> {
  let held = first;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    await keep();
    const now = await look();
    if (now.blobId === held.blobId) return now;
    held = now;
  }
  throw new AppError('conflict', 'Somebody else keeps changing it', {
    hint: 'Read it again and try once more when it has come to rest. Nothing was written.',
  });
}

/** The condition ETAPI does not have: a change is made only onto the content its caller has read. */

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

/** A note that is in a revision as it stands; see take-revision.ts. */

/** Of a locked note no revision can be taken, nor is its content ever changed. */
export function keptNote(
  client: Pick<TriliumClient, 'notes' | 'revisions'>,
  note: TriliumNote,
  reason: string,
  options: WriteOptions = {},
): Promise<TriliumNote> {
  const { noteId } = note;
  return withRevisionFirst(note, {
    keep: async () => {
      if (!note.isProtected) await takeRevision(client, noteId, reason, options);
    },
    look: async () => {
      const now = await client.notes.get(noteId, options);
      assertExpected(now, options);
      return now;
    },
  });
}
