/**
 * Changes a note's content without losing another writer's change. ETAPI has no conditional write, so a revision is
 * taken, and the `blobId` is compared right before the content is put. A change until then is a conflict, or gets a
 * revision of its own where the caller sets no condition. After the write the note is read once more. Writes to one note
 * are serialized among all Quire processes of a user on this machine; only a change by another program between the
 * comparison and the write goes unnoticed.
 */
import { KeyedMutex } from '../../shared/async/keyed-mutex.ts';
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import { holdsText, utf8Text } from './content-kind.ts';
import { assertNotOwn } from './names.ts';
import { noteAndContent } from './note-and-content.ts';
import { assertExpected, keptNote, type WriteOptions } from './revisions.ts';
import { byteKeepingMime, hasArrived, isPlainUtf8, notArrived, putBytes } from './stored-bytes.ts';
import type { TriliumNote } from './wire/entities.ts';
import { createWriteLocks, type WriteLock } from './write-lock.ts';

/**
 * Remembers this process's last write to each note, so that a series of additions shares the revision taken before the
 * first of them, as in Trilium's own editor. A text of another writer, or one of which a word would be lost, always
 * gets a revision of its own.
 */
const SHARED_FOR_MS = 10 * 60_000;
const MOST_NOTES = 64;
const LONGEST = 1_000_000;

interface OwnWrite {
  readonly blobId: string;
  readonly text: string;
  /** Time of the revision before this series of writes. */
  readonly revisionAt: number;
}

export function createOwnWrites(now: () => number = Date.now) {
  const writes = new Map<string, OwnWrite>();
  return {
    /** Whether the current text is our own, is contained in `after`, and has a recent revision from before it. */
    isCovered: (noteId: string, blobId: string, after: string | Uint8Array): boolean => {
      const last = writes.get(noteId);
      if (last?.blobId !== blobId || typeof after !== 'string') return false;
      return now() - last.revisionAt < SHARED_FOR_MS && keepsAll(last.text, after);
    },
    /** Call when a write is confirmed. */
    remember: (noteId: string, blobId: string, text: string | Uint8Array, tookRevision: boolean): void => {
      const revisionAt = tookRevision ? now() : writes.get(noteId)?.revisionAt;
      writes.delete(noteId);
      if (typeof text !== 'string' || text.length > LONGEST || revisionAt === undefined) return;
      writes.set(noteId, { blobId, text, revisionAt });
      const [oldest] = writes.keys();
      if (writes.size > MOST_NOTES && oldest !== undefined) writes.delete(oldest);
    },
  };
}

/** Whether `after` contains every word and tag of `before`, in the same order. */
export function keepsAll(before: string, after: string): boolean {
  if (after.startsWith(before)) return true;
  const words = (text: string) => text.match(/<[^>]*>|[^\s<]+/g) ?? [];
  const wanted = words(before);
  let at = 0;
  for (const word of words(after)) if (word === wanted[at]) at++;
  return at === wanted.length;
}

export interface WrittenContent {
  /** The note after the write, with its new `blobId`. */
  readonly note: TriliumNote;
  /** The `blobId` before the write. */
  readonly before: string;
  readonly isChanged: boolean;
}

export type ContentWriter = ReturnType<typeof createContentWriter>;

interface ReplaceOptions extends WriteOptions {
  /** Set if it changes. */
  readonly mime?: string;
  /** The note as the caller has read it; it is compared again before the write. */
  readonly note?: TriliumNote;
}

type Client = Pick<TriliumClient, 'host' | 'notes' | 'revisions'>;

/** State shared by the writers of one Trilium. */
export const createWriteState = () => ({ queue: new KeyedMutex(), own: createOwnWrites() });

type WriteState = ReturnType<typeof createWriteState>;

/** After this many concurrent changes the write is refused. */
const MOST_TRIES = 3;

export function createContentWriter(
  client: Client,
  lock: WriteLock = createWriteLocks()(client.host),
  { queue, own }: WriteState = createWriteState(),
) {
  const alone = <T>(noteId: string, work: () => Promise<T>): Promise<T> =>
    queue.run(noteId, () => lock(noteId, work));
  return {
    /** Runs work on a note exclusively among the user's Quire processes. Deadlocks if it calls this writer. */
    alone,
    /** Conditional only with `expectedBlobId`. */
    replace: (
      noteId: string,
      content: string | Uint8Array,
      { note: known, ...options }: ReplaceOptions = {},
    ): Promise<WrittenContent> =>
      alone(noteId, async () => {
        const note = await unlocked(client, noteId, known);
        assertExpected(note, options);
        const written = await put({ client, own }, note, content, options);
        if (written === 'overwritten') throw overwritten(noteId);
        return written;
      }),
    /** For appends and edits: computes the new text from the current one. Always conditional on the text that was read. */
    change: (
      noteId: string,
      compute: (text: string, note: TriliumNote) => string | Promise<string>,
      options: WriteOptions = {},
    ): Promise<WrittenContent> =>
      alone(noteId, async () => {
        for (let tries = 1; ; tries++) {
          const { note, text: before } = await readText(client, noteId, options);
          const after = await compute(before, note);
          if (after === before) return { note, before: note.blobId, isChanged: false };
          const condition = { ...options, expectedBlobId: note.blobId };
          const written = await put({ client, own }, note, after, condition);
          if (written !== 'overwritten') return written;
          if (tries === MOST_TRIES || options.expectedBlobId !== undefined) throw overwritten(noteId);
        }
      }),
  };
}

/** Reads the note after the write, because another program may have overwritten it at the same moment. */
async function put(
  { client, own }: Pick<WriteState, 'own'> & { readonly client: Client },
  note: TriliumNote,
  content: string | Uint8Array,
  { mime, ...options }: ReplaceOptions,
): Promise<WrittenContent | 'overwritten'> {
  const { noteId } = note;
  byteKeepingMime({ type: note.type, mime: mime ?? note.mime }, content, noteId);
  const isCovered = own.isCovered(noteId, note.blobId, content);
  const last = isCovered
    ? await lookedAgain(client, note, options)
    : await keptNote(client, note, 'before a change through Quire', options);
  await putBytes(holderOf(client, last), content, mime ?? last.mime);
  const after = await client.notes.get(noteId);
  if (!(await hasArrived(content, after, () => client.notes.content(noteId)))) {
    if (!(await holdsOurs(client, after, content))) return 'overwritten';
    // Trilium rewrites the HTML of a text note when it is saved; other content must be stored exactly as sent.
    if (after.type !== 'text' && !isPlainUtf8(content))
      throw notArrived(noteId, 'Read it again; what was there before is in a revision.');
  }
  own.remember(noteId, after.blobId, content, !isCovered);
  return { note: after, before: last.blobId, isChanged: after.blobId !== last.blobId };
}

function holderOf({ notes }: Client, { noteId, type, mime }: TriliumNote) {
  return {
    type,
    mime,
    put: (content: string | Uint8Array) => notes.putContent(noteId, content),
    patch: (other: string) => notes.patch(noteId, { mime: other }),
  };
}

/** The current note; if it has changed, a revision of it is taken first. */
async function lookedAgain(client: Client, note: TriliumNote, options: WriteOptions): Promise<TriliumNote> {
  const now = await client.notes.get(note.noteId);
  assertExpected(now, options);
  return now.blobId === note.blobId ? now : keptNote(client, now, 'before a change through Quire', options);
}

/** Whether the stored text contains ours, though Trilium rewrote it or another writer continued it. */
async function holdsOurs(
  { notes }: Client,
  { noteId }: TriliumNote,
  content: string | Uint8Array,
): Promise<boolean> {
  const plain = (bytes: string | Uint8Array) =>
    (typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes))
      .replace(/^\ufeff/, '')
      .toWellFormed()
      .replace(/src="[^"]*"/g, '');
  const { bytes } = await notes.content(noteId);
  return keepsAll(plain(content), plain(bytes));
}

function overwritten(noteId: string): AppError {
  return new AppError('conflict', 'Another writer changed the note at the same moment', {
    subject: noteId,
    hint: 'What was written here has been replaced by their text. Read the note again and make the change on what is there now.',
  });
}

function notText({ noteId, type, mime }: TriliumNote): AppError {
  return new AppError('unsupported', 'The note holds no text', {
    subject: noteId,
    hint: `It is of type ${type} (${mime}). Replace it as a whole instead; nothing was changed.`,
  });
}

/** Checked first, because a revision of a protected note could be taken before Trilium refuses the write. */
async function unlocked(
  { notes }: Pick<Client, 'notes'>,
  noteId: string,
  known: TriliumNote | undefined,
): Promise<TriliumNote> {
  assertNotOwn(noteId);
  const note = known ?? (await notes.get(noteId));
  assertUnlocked(note);
  return note;
}

async function readText(
  client: Pick<Client, 'notes'>,
  noteId: string,
  options: WriteOptions,
): Promise<{ readonly note: TriliumNote; readonly text: string }> {
  assertNotOwn(noteId);
  const check = (note: TriliumNote) => {
    assertUnlocked(note);
    assertExpected(note, options);
    if (!holdsText(note)) throw notText(note);
  };
  const { note, bytes } = await noteAndContent(client, noteId, { check });
  const text = utf8Text(bytes);
  if (text === undefined) throw notText(note);
  return { note, text };
}

function assertUnlocked({ noteId, isProtected }: TriliumNote): void {
  if (!isProtected) return;
  throw new AppError('forbidden', 'The note is protected', {
    subject: noteId,
    hint: 'Protected notes can be read and changed only inside Trilium, after unlocking them there.',
    upstream: { status: 400, code: 'NOTE_IS_PROTECTED' },
  });
}
