/** A copy of a note as it is, in Trilium's own list of revisions, before something is done that cannot be undone. */
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import type { CallOptions } from './wire/types.ts';

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

export interface Keeping<T> {
  /** Puts a copy of what stands there among the revisions. */
  keep(): Promise<void>;
  /** What stands there now; throws where the caller wants no other than he knows. */
  look(): Promise<T>;
}

/**
 * What stands there, looked at after a revision of the very same was taken: what somebody changed in between is kept
 * too. Only a change after that look is in no revision.
 */
export async function keptFirst<T extends { readonly blobId: string }>(
  first: T,
  { keep, look }: Keeping<T>,
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
