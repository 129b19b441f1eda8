/** A copy of a note as it is, in Trilium's own list of revisions, before something is done that cannot be undone. */
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
