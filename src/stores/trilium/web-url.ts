/** Addresses at which people open notes in Trilium: `<web address>/#root/…/<note id>`. */
import { TtlCache } from '../../shared/memoize.ts';
import type { TriliumClient } from './client.ts';
import { isSystemId, type TriliumNote } from './wire/entities.ts';

const MAX_HOPS = 50;

/** The web address of Trilium, from that of its API. */
export function webBaseOf(url: string): string {
  return url
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/etapi$/, '');
}

function webUrl(base: string, path: readonly string[]): string {
  return `${base.replace(/\/+$/, '')}/#${path.join('/')}`;
}

type NoteParents = Pick<TriliumNote, 'noteId' | 'parentNoteIds'>;

/** By the first chain of parents that ends at the root; by the bare id where there is none. */
async function addressBy(
  note: NoteParents,
  base: string,
  parentsOf: (noteId: string) => Promise<readonly string[]>,
): Promise<string> {
  const path = [note.noteId];
  let parents = note.parentNoteIds;
  while (path[0] !== 'root') {
    const next = parents.find((id) => !isSystemId(id)) ?? parents[0];
    if (next === undefined || path.includes(next) || path.length > MAX_HOPS)
      return webUrl(base, [note.noteId]);
    path.unshift(next);
    if (next !== 'root') parents = await parentsOf(next);
  }
  return webUrl(base, path);
}

export type WebAddresses = ReturnType<typeof createWebAddresses>;

/** An outdated chain of parents does no harm: Trilium finds the note by it all the same. */
const PARENTS_FOR_MS = 60_000;
const MOST_PARENTS = 5_000;

/** The addresses of the notes of one Trilium. Inside a subtree no parent leads to the root, so none is requested. */
export function createWebAddresses(
  { notes }: Pick<TriliumClient, 'notes'>,
  { base, isSubtree = false }: { readonly base: string; readonly isSubtree?: boolean },
  now: () => number = Date.now,
) {
  const known = new TtlCache<Promise<readonly string[]>>({ forMs: PARENTS_FOR_MS, most: MOST_PARENTS, now });
  const ask = (noteId: string): Promise<readonly string[]> => {
    const asked = notes.get(noteId).then(({ parentNoteIds }) => parentNoteIds);
    known.set(noteId, asked);
    asked.catch(() => {
      if (known.get(noteId) === asked) known.delete(noteId);
    });
    return asked;
  };
  const bare = ({ noteId }: Pick<NoteParents, 'noteId'>) => webUrl(base, [noteId]);
  const find = (note: NoteParents) => addressBy(note, base, (noteId) => known.get(noteId) ?? ask(noteId));
  return {
    /** With the bare id where the parents cannot be read, so that a note that was written is not reported as failed. */
    of: async (note: NoteParents): Promise<string> =>
      isSubtree ? bare(note) : find(note).catch(() => bare(note)),
    /** Looks up the parents of a note while it is being written. */
    prepare: ({ parentNoteIds }: Pick<TriliumNote, 'parentNoteIds'>): void => {
      // Only the parents count; the note may have no id yet.
      if (!isSubtree) void find({ noteId: '', parentNoteIds }).catch(() => undefined);
    },
    /** Remembers the parents of a note that was read for another purpose. */
    learn: ({ noteId, parentNoteIds }: NoteParents): void => {
      if (!isSubtree) known.set(noteId, Promise.resolve(parentNoteIds));
    },
    /** Forgets the parents of a note that was moved. */
    forget: (noteId: string) => known.delete(noteId),
  };
}
