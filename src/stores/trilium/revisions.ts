/** Takes a revision of a note before a change that cannot be undone, and checks `blobId` conditions. */
import { createHash } from 'node:crypto';
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import type { TriliumNote } from './wire/entities.ts';

/** After this many concurrent changes the note counts as being edited. */
const MOST_TRIES = 3;

interface RevisionGuard<T> {
  /** Takes a revision of the current content; Trilium takes them every ten minutes at most, and not of young notes. */
  keep(): Promise<void>;
  /** Reads the current content; throws when it is not the expected one. */
  look(): Promise<T>;
}

/**
 * Returns the current content, read after a revision of that very content was taken: a change in between gets a
 * revision too. Only a change after this read is in no revision.
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
  throw new AppError('conflict', 'Another client keeps changing the note', {
    hint: 'Wait until the other client is done, read it again and repeat the change. Nothing was written.',
  });
}

/** Trilium's id of a content: a prefix of its SHA-512 hash in base64, with `+` and `/` replaced. */
export function blobIdOf(content: string | Uint8Array): string {
  const hash = createHash('sha512').update(content).digest('base64');
  return hash.replaceAll('+', 'X').replaceAll('/', 'Y').slice(0, 20);
}

export interface WriteOptions {
  /** The `blobId` the caller read; the write is refused when it has changed. */
  readonly expectedBlobId?: string | undefined;
}

interface Content {
  readonly blobId: string;
  readonly noteId?: string;
  readonly attachmentId?: string;
}

/**
 * Conditional writes, which ETAPI lacks: a change is applied only to the content its caller has read. Throws a
 * `conflict` with the next step.
 */
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
      hint: `Its blobId is ${blobId} now, not ${expectedBlobId.slice(0, 40)}. Read it again and make the change on what is there now. Nothing was written.`,
    },
  );
}

/**
 * The note, after a revision of its current content was taken. Protected notes are exempt: they have no revisions,
 * and their content is never changed.
 */
export function keptNote(
  client: Pick<TriliumClient, 'notes' | 'revisions'>,
  note: TriliumNote,
  reason: string,
  options: WriteOptions = {},
): Promise<TriliumNote> {
  const { noteId } = note;
  return withRevisionFirst(note, {
    keep: async () => {
      if (!note.isProtected) await client.revisions.create(noteId, reason);
    },
    look: async () => {
      const now = await client.notes.get(noteId);
      assertExpected(now, options);
      return now;
    },
  });
}
