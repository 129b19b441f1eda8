/**
 * Remembers notes whose list of attachments was empty. An attachment that no text refers to leaves no trace in its
 * note, so the memory is short, for the same content only, and ends when this process adds an attachment.
 */
import { TtlCache } from '../../shared/memoize.ts';
import type { TriliumNote } from './wire/entities.ts';

const FOR_MS = 5_000;
const MOST_NOTES = 1_000;

type Holder = Pick<TriliumNote, 'noteId' | 'type' | 'blobId'>;

export type EmptyLists = ReturnType<typeof createEmptyLists>;

/** References to an attachment: the source of an image, and a link. */
const REFERENCE = /api\/attachments\/|attachmentId=/;

export function refersToAttachments(content: string): boolean {
  return REFERENCE.test(content);
}

export function createEmptyLists(now: () => number = Date.now) {
  const recent = new TtlCache<string>({ forMs: FOR_MS, most: MOST_NOTES, now });
  let additions = 0;
  return {
    /** Whether the note is remembered, before its type and content are known. */
    knows: (noteId: string) => recent.get(noteId) !== undefined,
    isEmpty: (note: Holder) => recent.get(note.noteId) === versionOf(note),
    /** Call before a list is requested; call the returned function if that list was empty. */
    watch: () => {
      const before = additions;
      return (note: Holder) => {
        if (additions === before) recent.set(note.noteId, versionOf(note));
      };
    },
    /** Also ignores lists that were requested before this call. */
    forget: (noteId: string) => {
      additions++;
      recent.delete(noteId);
    },
  };
}

function versionOf({ type, blobId }: Holder): string {
  return `${type} ${blobId}`;
}
