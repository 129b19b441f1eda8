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
