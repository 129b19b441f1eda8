/**
 * Changing a note's content without losing another's change. ETAPI has no conditional write; the note's `blobId`
 * stands for one: a revision is taken, and then the `blobId` is looked at again, right before the content is put.
 * What was changed until then is a conflict, or in a revision of its own where the caller sets no condition. Only a
 * change between that look and the write goes unnoticed. Writes of one writer to one note wait for each other.
 */
import { AppError } from '../../shared/errors.ts';
import { KeyedQueue } from '../../shared/keyed-queue.ts';
import type { TriliumClient } from './client.ts';
import { holdsText } from './content-kind.ts';
import { assertExpected, type WriteOptions } from './expected-blob.ts';
import { keptNote } from './kept-note.ts';
import { assertNotOwn } from './own-notes.ts';
import type { CallOptions, TriliumNote } from './wire/types.ts';

export interface WrittenContent {
  /** As it is afterwards, with its new `blobId`. */
  readonly note: TriliumNote;
  readonly isChanged: boolean;
}

export interface ContentWriter {
  /** Conditional only if asked. */
  replace(noteId: string, content: string | Uint8Array, options?: WriteOptions): Promise<WrittenContent>;
  /** For appends and edits: the new text from the present one. Always conditional on what was read. */
  change(
    noteId: string,
    compute: (text: string, note: TriliumNote) => string | Promise<string>,
    options?: WriteOptions,
  ): Promise<WrittenContent>;
}

type Client = Pick<TriliumClient, 'notes' | 'revisions'>;

export function createContentWriter(client: Client): ContentWriter {
  const queue = new KeyedQueue();
  return {
    replace: (noteId, content, options = {}) =>
      queue.run(noteId, async () => {
        const note = await unlocked(client, noteId, options);
        assertExpected(note, options);
        return put(client, note, content, options);
      }),
    change: (noteId, compute, options = {}) =>
      queue.run(noteId, async () => {
        const note = await unlocked(client, noteId, options);
        assertExpected(note, options);
        const before = await textOf(client, note, options);
        const after = await compute(before, note);
        if (after === before) return { note, isChanged: false };
        return put(client, note, after, { ...options, expectedBlobId: note.blobId });
      }),
  };
}

async function put(
  client: Client,
  note: TriliumNote,
  content: string | Uint8Array,
  options: WriteOptions,
): Promise<WrittenContent> {
  const last = await keptNote(client, note, 'before a change through Quire', options);
  await client.notes.putContent(note.noteId, content, options);
  const after = await client.notes.get(note.noteId, options);
  return { note: after, isChanged: after.blobId !== last.blobId };
}

export async function textOf(
  { notes }: Pick<TriliumClient, 'notes'>,
  note: TriliumNote,
  options?: CallOptions,
): Promise<string> {
  if (!holdsText(note)) throw notText(note);
  const { bytes } = await notes.content(note.noteId, options);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw notText(note, cause);
  }
}

function notText({ noteId, type, mime }: TriliumNote, cause?: unknown): AppError {
  return new AppError('unsupported', 'The note holds no text', {
    subject: noteId,
    hint: `It is of type ${type} (${mime}). Replace it as a whole instead; nothing was changed.`,
    cause,
  });
}

/** Asked for first, since a revision of a locked note could be taken before the write is refused. */
async function unlocked({ notes }: Client, noteId: string, options: CallOptions): Promise<TriliumNote> {
  assertNotOwn(noteId);
  const note = await notes.get(noteId, options);
  if (note.isProtected)
    throw new AppError('forbidden', 'The note is protected', {
      subject: noteId,
      hint: 'Protected notes can be read and changed only inside Trilium, after unlocking them there.',
      upstream: { status: 400, code: 'NOTE_IS_PROTECTED' },
    });
  return note;
}
