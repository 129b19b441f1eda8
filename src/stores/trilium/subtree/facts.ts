/**
 * Caches, for one call, the positions of notes in the tree and the owners of attachments. Entries expire after a moment,
 * so that a check before a write is about as fresh as a request.
 */
import { TtlCache } from '../../../shared/memoize.ts';
import type { TriliumNote } from '../wire/types.ts';

const FOR_MS = 1_000;
const MOST = 5_000;

export interface Facts {
  /** Concurrent reads of a note share one request. */
  reading(noteId: string, read: () => Promise<TriliumNote>): Promise<TriliumNote>;
  /** Parents of a note when it was last read. */
  parentsOf(noteId: string): readonly string[] | undefined;
  /** Owning note of an attachment, attribute, branch or revision. */
  ownerOf(kind: string, id: string): string | undefined;
  learnOwner(kind: string, id: string, noteId: string): void;
  /** Call after a change of the tree. */
  clear(): void;
}

export function createFacts(now: () => number = () => performance.now()): Facts {
  const pending = new Map<string, Promise<TriliumNote>>();
  const fresh = <Value>() => new TtlCache<Value>({ forMs: FOR_MS, most: MOST, now });
  let parents = fresh<readonly string[]>();
  let owners = fresh<string>();
  return {
    reading: (noteId, read) => {
      const before = pending.get(noteId);
      if (before) return before;
      const kept = parents;
      const asked = read()
        .then((note) => {
          kept.set(noteId, note.parentNoteIds);
          return note;
        })
        .finally(() => {
          if (pending.get(noteId) === asked) pending.delete(noteId);
        });
      pending.set(noteId, asked);
      return asked;
    },
    parentsOf: (noteId) => parents.get(noteId),
    ownerOf: (kind, id) => owners.get(`${kind} ${id}`),
    learnOwner: (kind, id, noteId) => owners.set(`${kind} ${id}`, noteId),
    clear: () => {
      pending.clear();
      parents = fresh();
      owners = fresh();
    },
  };
}

/** Caches nothing, for a client that lives longer than a call. */
export const NO_FACTS: Facts = {
  reading: (_, read) => read(),
  parentsOf: () => undefined,
  ownerOf: () => undefined,
  learnOwner: () => undefined,
  clear: () => undefined,
};
