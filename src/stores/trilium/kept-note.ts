/** A note that is in a revision as it stands; see take-revision.ts. */
import type { TriliumClient } from './client.ts';
import { assertExpected, type WriteOptions } from './expected-blob.ts';
import { keptFirst, takeRevision } from './take-revision.ts';
import type { TriliumNote } from './wire/types.ts';

/** Of a locked note no revision can be taken, nor is its content ever changed. */
export function keptNote(
  client: Pick<TriliumClient, 'notes' | 'revisions'>,
  note: TriliumNote,
  reason: string,
  options: WriteOptions = {},
): Promise<TriliumNote> {
  const { noteId } = note;
  return keptFirst(note, {
    keep: async () => {
      if (!note.isProtected) await takeRevision(client, noteId, reason, options);
    },
    look: async () => {
      const now = await client.notes.get(noteId, options);
      assertExpected(now, options);
      return now;
    },
  });
}
