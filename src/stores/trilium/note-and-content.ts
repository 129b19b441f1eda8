/**
 * A note and what it holds, asked for side by side. Content that is not the one the note names is read again after it:
 * a `blobId` newer than the text that stands beside it would let its reader overwrite what he never saw.
 */
import type { TriliumClient } from './client.ts';
import { blobIdOf } from './revisions.ts';
import type { CallOptions, TriliumNote } from './wire/types.ts';

interface NoteAndContent {
  readonly note: TriliumNote;
  readonly bytes: Uint8Array;
}

interface ContentLimits {
  /** Throws for a note the content of which is not wanted. */
  readonly check?: (note: TriliumNote) => void;
  /** Of its content; the client's own limit unless told. */
  readonly mostBytes?: (note: TriliumNote) => number | undefined;
}

/** What is longer is asked for when it is known what it is. */
const EARLY_BYTES = 8 * 1024 * 1024;

export async function noteAndContent(
  { notes }: Pick<TriliumClient, 'notes'>,
  noteId: string,
  { check, mostBytes = () => undefined }: ContentLimits = {},
  options: CallOptions = {},
): Promise<NoteAndContent> {
  // Whatever is wrong with it is said by the second try, after the note is known.
  const early = notes.content(noteId, { ...options, maxBytes: EARLY_BYTES }).catch(() => undefined);
  const note = await notes.get(noteId, options);
  check?.(note);
  const most = mostBytes(note);
  const bytes = (await early)?.bytes;
  const isIt =
    bytes !== undefined && bytes.length <= (most ?? EARLY_BYTES) && blobIdOf(bytes) === note.blobId;
  if (isIt) return { note, bytes };
  const late = await notes.content(noteId, { ...options, ...(most !== undefined && { maxBytes: most }) });
  return { note, bytes: late.bytes };
}
