/**
 * Notes whose list of attachments was empty a moment ago. An attachment that no text refers to leaves no trace in its
 * note, so an empty list is believed only for that moment, for the same content, and until one is added here.
 */
import { TtlCache } from '../../shared/memoize.ts';
import type { TriliumNote } from './wire/types.ts';

const FOR_MS = 5_000;
const MOST_NOTES = 1_000;

type Holder = Pick<TriliumNote, 'noteId' | 'type' | 'blobId'>;

export interface EmptyLists {
  /** Whether anything is remembered of it, before its type and content are known. */
  knows(noteId: string): boolean;
  isEmpty(note: Holder): boolean;
  /** Called before a list is asked for; what it returns is called when that list was empty, or is never shown. */
  watch(): (note: Holder) => void;
  /** A list that was asked for before this is not remembered either. */
  forget(noteId: string): void;
}

/** What an attachment can be referred to by: the source of an image, and a link to it. */
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
