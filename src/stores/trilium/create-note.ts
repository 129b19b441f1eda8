/**
 * Creates a note with its content, images and files, or leaves nothing behind; also changes metadata and deletes
 * notes.
 */
import { AppError, isAppError } from '../../shared/errors.ts';
import { scheduledForErasure } from './attach.ts';
import type { TriliumClient } from './client.ts';
import { type Embeds, fillPlaceholders, uploadEmbeds } from './embed.ts';
import { assertNotOwn } from './names.ts';
import { assertExpected, keptNote, type WriteOptions } from './revisions.ts';
import { byteKeepingMime, hasArrived, notArrived } from './stored-bytes.ts';
import { type CreatedNote, isSystemId, type TriliumNote } from './wire/entities.ts';
import { ifFound } from './wire/errors.ts';
import type { NewNote, NotePatch } from './wire/notes.ts';

/** Creates a note. Refuses an id that is taken, which ETAPI would overwrite. */
export async function createNote(
  { notes }: Pick<TriliumClient, 'notes'>,
  note: NewNote,
): Promise<CreatedNote> {
  if (note.noteId !== undefined && (await ifFound(notes.get(note.noteId))))
    throw new AppError('already_exists', 'A note of that id exists', {
      subject: note.noteId,
      hint: 'Leave noteId out to have one chosen, or use write_note to change that note.',
    });
  return notes.create(note);
}

interface CompleteNote {
  readonly note: Omit<NewNote, 'content'>;
  /** Bytes for file and image notes, text for others. */
  readonly body: string | Uint8Array;
  readonly embeds: Embeds;
}

interface MadeNote extends CreatedNote {
  readonly attachmentIds: readonly string[];
  /** Attachments that Trilium has scheduled for erasure nevertheless. */
  readonly scheduled: readonly string[];
}

type Client = Pick<TriliumClient, 'notes' | 'attachments'>;

export async function makeNote(
  client: Client,
  { note: asked, body, embeds }: CompleteNote,
): Promise<MadeNote> {
  const note = storable(asked, body);
  const isWhole = typeof body === 'string' && embeds.images.length + embeds.files.length === 0;
  const created = await createNote(client, { ...note, content: isWhole ? body : '' });
  const { noteId } = created.note;
  if (isWhole) {
    await assertHolds(client, created.note, body);
    return { ...created, attachmentIds: [], scheduled: [] };
  }
  const attachmentIds = await fill(client, noteId, body, embeds).catch(async (error: unknown) => {
    throw await undone(client, noteId, error);
  });
  const scheduled = await scheduledForErasure(client, attachmentIds);
  const filled = await client.notes.get(noteId);
  await assertHolds(client, filled, body);
  return { ...created, note: filled, attachmentIds, scheduled };
}

/** The note with a MIME type that keeps bytes unchanged. */
function storable(note: CompleteNote['note'], body: string | Uint8Array): CompleteNote['note'] {
  const { type, mime = '', title } = note;
  const kept = byteKeepingMime({ type, mime }, body, title);
  return kept === mime ? note : { ...note, mime: kept };
}

/** Trilium rewrites the HTML of a text note when it is saved; other content must be stored exactly as sent. */
async function assertHolds(client: Client, note: TriliumNote, body: string | Uint8Array): Promise<void> {
  const { noteId, type, title } = note;
  if (type === 'text' || (await hasArrived(body, note, () => client.notes.content(noteId)))) return;
  throw await undone(client, noteId, notArrived(title, ''));
}

async function fill(
  client: Client,
  noteId: string,
  body: string | Uint8Array,
  embeds: Embeds,
): Promise<string[]> {
  if (typeof body !== 'string') {
    await client.notes.putContent(noteId, body);
    return [];
  }
  const embedded = await uploadEmbeds(client, noteId, embeds);
  await client.notes.putContent(noteId, fillPlaceholders(body, noteId, embedded));
  return [...embedded.images, ...embedded.files].map(({ attachmentId }) => attachmentId);
}

/** Deletes an incomplete note. Returns the original error, with a remark on what is left of the note. */
export async function undone(
  { notes }: Pick<TriliumClient, 'notes'>,
  noteId: string,
  error: unknown,
): Promise<unknown> {
  const rest = await notes.remove(noteId).then(
    () => 'The note was removed again; nothing was kept.',
    () => `The note ${noteId} was made and is there, without its content: delete it, or write it again.`,
  );
  if (!isAppError(error)) return error;
  return new AppError(error.code, error.title, {
    hint: [error.hint, rest].filter(Boolean).join(' '),
    subject: error.subject,
    reason: error.reason,
    upstream: error.upstream,
    cause: error,
  });
}

/** Changes title, type and MIME type after taking a revision. */
export async function patchNote(
  client: Pick<TriliumClient, 'notes' | 'revisions'>,
  noteId: string,
  patch: NotePatch,
  options: WriteOptions = {},
): Promise<TriliumNote> {
  assertNotOwn(noteId);
  const note = await client.notes.get(noteId);
  assertExpected(note, options);
  const isOther = (['title', 'type', 'mime'] as const).some(
    (name) => patch[name] !== undefined && patch[name] !== note[name],
  );
  if (!isOther) return note;
  await keptNote(client, note, 'before a change through Quire', options);
  return client.notes.patch(noteId, patch);
}

interface DeleteOptions extends WriteOptions {
  /** Throws for a note that must stay, and returns the `blobId` that it must keep until it is deleted. */
  readonly check?: (note: TriliumNote) => Promise<string | undefined>;
}

/**
 * Deletes a note after taking a revision, if its content is the expected one, and returns it. ETAPI answers success for
 * any id, so existence is checked first. Trilium keeps deleted notes for a while; `undelete` restores them.
 */
export async function deleteNote(
  client: Pick<TriliumClient, 'notes' | 'revisions'>,
  noteId: string,
  { check, ...options }: DeleteOptions = {},
): Promise<TriliumNote> {
  if (noteId === 'root' || isSystemId(noteId))
    throw new AppError('forbidden', 'This note cannot be deleted', {
      subject: noteId,
      hint: "The root and Trilium's own notes (ids that begin with _) stay.",
    });
  const note = await client.notes.get(noteId);
  assertExpected(note, options);
  const expectedBlobId = check ? await check(note) : options.expectedBlobId;
  const last = await keptNote(client, note, 'before it was deleted through Quire', { expectedBlobId });
  await client.notes.remove(noteId);
  return last;
}
