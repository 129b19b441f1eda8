/**
 * Remembers notes whose list of attachments was empty. An attachment that no text refers to leaves no trace in its
 * note, so the memory is short, for the same content only, and ends when this process adds an attachment.
 */
import { TtlCache } from '../../shared/memoize.ts';
import type { TriliumNote } from './wire/entities.ts';

const FOR_MS = 5_000;
const MOST_NOTES = 1_000;

type Holder = Pick<TriliumNote, 'noteId' | 'type' | 'blobId'>;

export interface EmptyLists {
  /** Whether the note is remembered, before its type and content are known. */
  knows(noteId: string): boolean;
  isEmpty(note: Holder): boolean;
  /** Call before a list is requested; call the returned function if that list was empty. */
  watch(): (note: Holder) => void;
  /** Also ignores lists that were requested before this call. */
  forget(noteId: string): void;
}

/** References to an attachment: the source of an image, and a link. */
const REFERENCE = /api\/attachments\/|attachmentId=/;

export function refersToAttachments(content: string): boolean {
  return REFERENCE.test(content);
}

export function createEmptyLists(now: () => number = Date.now): EmptyLists {
  const recent = new TtlCache<string>({ forMs: FOR_MS, most: MOST_NOTES, now });
  let additions = 0;
  return {
    knows: (noteId) => recent.get(noteId) !== undefined,
    isEmpty: (note) => recent.get(note.noteId) === versionOf(note),
    watch: () => {
      const before = additions;
      return (note) => {
        if (additions === before) recent.set(note.noteId, versionOf(note));
      };
    },
    forget: (noteId) => {
      additions++;
      recent.delete(noteId);
    },
  };
}

function versionOf({ type, blobId }: Holder): string {
  return `${type} ${blobId}`;
}
