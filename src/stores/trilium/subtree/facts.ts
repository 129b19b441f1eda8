/**
 * Caches, for one call, the positions of notes in the tree and the owners of attachments. Entries expire after a moment,
 * so that a check before a write is about as fresh as a request.
 */
import { TtlCache } from '../../../shared/memoize.ts';
import type { TriliumNote } from '../wire/entities.ts';

const FOR_MS = 1_000;
const MOST = 5_000;

export type Facts = ReturnType<typeof createFacts>;

export function createFacts(now: () => number = () => performance.now()) {
  const pending = new Map<string, Promise<TriliumNote>>();
  const fresh = <Value>() => new TtlCache<Value>({ forMs: FOR_MS, most: MOST, now });
  let parents = fresh<readonly string[]>();
  let owners = fresh<string>();
  return {
    /** Concurrent reads of a note share one request. */
    reading: (noteId: string, read: () => Promise<TriliumNote>): Promise<TriliumNote> => {
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
    /** Parents of a note when it was last read. */
    parentsOf: (noteId: string) => parents.get(noteId),
    /** Owning note of an attachment, attribute, branch or revision. */
    ownerOf: (kind: string, id: string) => owners.get(`${kind} ${id}`),
    learnOwner: (kind: string, id: string, noteId: string) => owners.set(`${kind} ${id}`, noteId),
    /** Call after a change of the tree. */
    clear: () => {
      pending.clear();
      parents = fresh();
      owners = fresh();
    },
  };
}
