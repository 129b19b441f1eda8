/**
 * Changing a note's content without losing another's change. ETAPI has no conditional write; the note's `blobId`
 * stands for one: a revision is taken, and then the `blobId` is looked at again, right before the content is put.
 * What was changed until then is a conflict, or in a revision of its own where the caller sets no condition. After the
 * write the note is looked at once more. Writes to one note wait for each other, also those of other Quires of the same
 * user on this machine; only what another program does between the look and the write goes unnoticed.
 */

import { KeyedMutex } from '../../shared/async/keyed-mutex.ts';
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import { holdsText } from './content-kind.ts';
import { assertNotOwn } from './names.ts';
import { noteAndContent } from './note-and-content.ts';
import { assertExpected, keptNote, type WriteOptions } from './revisions.ts';
import { byteKeepingMime, hasArrived, isPlainUtf8, notArrived, putBytes } from './stored-bytes.ts';
import type { CallOptions, TriliumNote } from './wire/types.ts';
import { createWriteLocks, type WriteLock } from './write-lock.ts';

/**
 * What this process wrote last to each note, so that a row of additions by the same hand shares the revision that was
 * taken before the first of them, as Trilium's own editor does. A text that is not ours, or of which a word would be
 * lost, always gets a revision of its own.
 */
const SHARED_FOR_MS = 10 * 60_000;
const MOST_NOTES = 64;
const LONGEST = 1_000_000;

interface OwnWrite {
  readonly blobId: string;
  readonly text: string;
  /** When the revision before this row of writes was taken. */
  readonly revisionAt: number;
}

export interface OwnWrites {
  /** Whether what stands there is ours, all of it stays, and a revision from before it is young. */
  isCovered(noteId: string, blobId: string, after: string | Uint8Array): boolean;
  /** Called when a write is known to be there. */
  remember(noteId: string, blobId: string, text: string | Uint8Array, tookRevision: boolean): void;
}

export function createOwnWrites(now: () => number = Date.now): OwnWrites {
  const writes = new Map<string, OwnWrite>();
  return {
    isCovered: (noteId, blobId, after) => {
      const last = writes.get(noteId);
      if (last?.blobId !== blobId || typeof after !== 'string') return false;
      return now() - last.revisionAt < SHARED_FOR_MS && keepsAll(last.text, after);
    },
    remember: (noteId, blobId, text, tookRevision) => {
      const revisionAt = tookRevision ? now() : writes.get(noteId)?.revisionAt;
      writes.delete(noteId);
      if (typeof text !== 'string' || text.length > LONGEST || revisionAt === undefined) return;
      writes.set(noteId, { blobId, text, revisionAt });
      const [oldest] = writes.keys();
      if (writes.size > MOST_NOTES && oldest !== undefined) writes.delete(oldest);
    },
  };
}

/** Whether every word and tag of a text stands in another, in the same order. */
export function keepsAll(before: string, after: string): boolean {
  if (after.startsWith(before)) return true;
  const words = (text: string) => text.match(/<[^>]*>|[^\s<]+/g) ?? [];
  const wanted = words(before);
  let at = 0;
  for (const word of words(after)) if (word === wanted[at]) at++;
  return at === wanted.length;
}

export interface WrittenContent {
  /** As it is afterwards, with its new `blobId`. */
  readonly note: TriliumNote;
  readonly isChanged: boolean;
}

export interface ContentWriter {
  /** Work on a note while no other write of this user's Quires on this machine goes on. Not for writes of this writer. */
  alone<T>(noteId: string, work: () => Promise<T>): Promise<T>;
  /** Conditional only if asked. */
  replace(
    noteId: string,
    content: string | Uint8Array,
    options?: WriteOptions & {
      /** Of the new content, where it is another than before. */
      readonly mime?: string | undefined;
      /** As the same call has read it; it is looked at again before it is written. */
      readonly note?: TriliumNote | undefined;
    },
  ): Promise<WrittenContent>;
  /** For appends and edits: the new text from the present one. Always conditional on what was read. */
  change(
    noteId: string,
    compute: (text: string, note: TriliumNote) => string | Promise<string>,
    options?: WriteOptions,
  ): Promise<WrittenContent>;
}

type Client = Pick<TriliumClient, 'host' | 'notes' | 'revisions'>;

/** What writers of the same Trilium have in common. */
interface WriteState {
  readonly queue: KeyedMutex;
  readonly own: OwnWrites;
}

export const createWriteState = (): WriteState => ({ queue: new KeyedMutex(), own: createOwnWrites() });

/** A note that others overwrite that often is theirs for now. */
const MOST_TRIES = 3;

export function createContentWriter(
  client: Client,
  lock: WriteLock = createWriteLocks()(client.host),
  { queue, own }: WriteState = createWriteState(),
): ContentWriter {
  const alone = <T>(noteId: string, work: () => Promise<T>): Promise<T> =>
    queue.run(noteId, () => lock(noteId, work));
  return {
    alone,
    replace: (noteId, content, { note: known, ...options } = {}) =>
      alone(noteId, async () => {
        const note = await unlocked(client, noteId, known, options);
        assertExpected(note, options);
        const written = await put({ client, own }, note, content, options);
        if (written === 'overwritten') throw overwritten(noteId);
        return written;
      }),
    change: (noteId, compute, options = {}) =>
      alone(noteId, async () => {
        for (let tries = 1; ; tries++) {
          const { note, text: before } = await readText(client, noteId, options);
          const after = await compute(before, note);
          if (after === before) return { note, isChanged: false };
          const condition = { ...options, expectedBlobId: note.blobId };
          const written = await put({ client, own }, note, after, condition);
          if (written !== 'overwritten') return written;
          if (tries === MOST_TRIES || options.expectedBlobId !== undefined) throw overwritten(noteId);
        }
      }),
  };
}

interface Writing {
  readonly client: Client;
  readonly own: OwnWrites;
}

/** What was written is looked at: another program may have put its own text over it in the same moment. */
async function put(
  { client, own }: Writing,
  note: TriliumNote,
  content: string | Uint8Array,
  { mime, ...options }: WriteOptions & { readonly mime?: string | undefined },
): Promise<WrittenContent | 'overwritten'> {
  const { noteId } = note;
  byteKeepingMime({ type: note.type, mime: mime ?? note.mime }, content, noteId);
  const isCovered = own.isCovered(noteId, note.blobId, content);
  const last = isCovered
    ? await lookedAgain(client, note, options)
    : await keptNote(client, note, 'before a change through Quire', options);
  await putBytes(holderOf(client, last, options), content, mime ?? last.mime);
  const after = await client.notes.get(noteId, options);
  if (!(await hasArrived(content, after, () => client.notes.content(noteId, options)))) {
    if (!(await holdsOurs(client, after, content, options))) return 'overwritten';
    // The HTML of a text note is worked on by Trilium as soon as it is saved; other bytes must be the very same.
    if (after.type !== 'text' && !isPlainUtf8(content))
      throw notArrived(noteId, 'Read it again; what stood there before is in a revision.');
  }
  own.remember(noteId, after.blobId, content, !isCovered);
  return { note: after, isChanged: after.blobId !== last.blobId };
}

function holderOf({ notes }: Client, { noteId, type, mime }: TriliumNote, options: CallOptions) {
  return {
    type,
    mime,
    put: (content: string | Uint8Array) => notes.putContent(noteId, content, options),
    patch: (other: string) => notes.patch(noteId, { mime: other }, options),
  };
}

/** Where it is another by now, a revision of that one is taken after all. */
async function lookedAgain(client: Client, note: TriliumNote, options: WriteOptions): Promise<TriliumNote> {
  const now = await client.notes.get(note.noteId, options);
  assertExpected(now, options);
  return now.blobId === note.blobId ? now : keptNote(client, now, 'before a change through Quire', options);
}

/** Trilium stores some texts in its own way, and somebody may have gone on from ours: then it is there all the same. */
async function holdsOurs(
  { notes }: Client,
  { noteId }: TriliumNote,
  content: string | Uint8Array,
  options: CallOptions,
): Promise<boolean> {
  const plain = (bytes: string | Uint8Array) =>
    (typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes))
      .replace(/^\ufeff/, '')
      .toWellFormed()
      .replace(/src="[^"]*"/g, '');
  const { bytes } = await notes.content(noteId, options);
  return keepsAll(plain(content), plain(bytes));
}

function overwritten(noteId: string): AppError {
  return new AppError('conflict', 'Somebody else wrote the note in the same moment', {
    subject: noteId,
    hint: 'What was written here has been replaced by their text. Read the note again and make the change on what stands there now.',
  });
}

function decoded(note: TriliumNote, bytes: Uint8Array): string {
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
async function unlocked(
  { notes }: Pick<Client, 'notes'>,
  noteId: string,
  known: TriliumNote | undefined,
  options: CallOptions,
): Promise<TriliumNote> {
  assertNotOwn(noteId);
  const note = known ?? (await notes.get(noteId, options));
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
  const { note, bytes } = await noteAndContent(client, noteId, { check }, options);
  return { note, text: decoded(note, bytes) };
}

function assertUnlocked({ noteId, isProtected }: TriliumNote): void {
  if (!isProtected) return;
  throw new AppError('forbidden', 'The note is protected', {
    subject: noteId,
    hint: 'Protected notes can be read and changed only inside Trilium, after unlocking them there.',
    upstream: { status: 400, code: 'NOTE_IS_PROTECTED' },
  });
}
