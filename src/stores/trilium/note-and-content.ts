/**
 * Reads a note and its content concurrently. Content that does not match the note's `blobId` is read again: a
 * `blobId` newer than the text beside it would let the reader overwrite a change it never saw.
 */
import type { TriliumClient } from './client.ts';
import { blobIdOf } from './revisions.ts';
import type { TriliumNote } from './wire/entities.ts';

export interface NoteAndContent {
  readonly note: TriliumNote;
  readonly bytes: Uint8Array;
}

interface ContentLimits {
  /** Throws for a note whose content must not be read. */
  readonly check?: (note: TriliumNote) => void;
  /** Size limit of the content. Default: the client's. */
  readonly mostBytes?: (note: TriliumNote) => number | undefined;
}

/** Longer content is requested only after the note is known. */
const EARLY_BYTES = 8 * 1024 * 1024;

export async function noteAndContent(
  { notes }: Pick<TriliumClient, 'notes'>,
  noteId: string,
  { check, mostBytes = () => undefined }: ContentLimits = {},
): Promise<NoteAndContent> {
  // Errors are ignored here: the second attempt, after the note is known, reports them.
  const early = notes.content(noteId, EARLY_BYTES).catch(() => undefined);
  const note = await notes.get(noteId);
  check?.(note);
  const most = mostBytes(note);
  const bytes = (await early)?.bytes;
  const isIt =
    bytes !== undefined && bytes.length <= (most ?? EARLY_BYTES) && blobIdOf(bytes) === note.blobId;
  if (isIt) return { note, bytes };
  return { note, bytes: (await notes.content(noteId, most)).bytes };
}
