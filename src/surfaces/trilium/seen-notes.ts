/** Keeps a session from replacing or deleting a note whose present text it was not shown. A version is a `blobId`. */
import type { NotePath } from '../../notes/path.ts';
import type { TriliumNote } from '../../stores/trilium/wire/entities.ts';
import type { TriliumBackend } from './backend.ts';

type Shown = Pick<TriliumNote, 'noteId' | 'blobId'>;

/** The session was shown the note, or wrote all of it. */
export function noteShown(
  { guard }: TriliumBackend,
  { noteId, blobId }: Shown,
  bytes?: Uint8Array,
): Promise<void> | undefined {
  return guard?.shown({ path: noteId as NotePath, version: blobId, bytes });
}

/** The session edited the note that had the content `before`. */
export function noteEdited(
  { guard }: TriliumBackend,
  before: string,
  { noteId, blobId }: Shown,
): Promise<void> | undefined {
  return guard?.edited(noteId as NotePath, before, blobId);
}

export function noteGone({ guard }: TriliumBackend, noteId: string): Promise<void> | undefined {
  return guard?.gone(noteId as NotePath);
}

/**
 * The `blobId` that the note must have to be replaced: the one that the caller gave, or that its session was shown.
 * Throws `conflict` when the note has another text than the session was shown.
 */
export async function expectedBlob(
  { guard, client }: TriliumBackend,
  { noteId, blobId }: Shown,
  given: string | undefined,
): Promise<string | undefined> {
  const path = noteId as NotePath;
  const seen = await guard?.seen(path);
  if (!guard || given !== undefined || seen === blobId) return given ?? seen;
  // Only to say what changed.
  const bytes = seen === undefined ? new Uint8Array() : (await client.notes.content(noteId)).bytes;
  const current = { path, version: blobId, bytes, size: bytes.length, lastModified: 0, contentType: '' };
  await guard.assertSeen(path, current);
  return undefined;
}
