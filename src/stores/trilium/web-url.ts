/** Where people see a note: `<web address>/#root/…/<note id>`. */
import { TtlCache } from '../../shared/memoize.ts';
import type { TriliumClient } from './client.ts';
import { type CallOptions, isSystemId, type TriliumNote } from './wire/types.ts';

const MAX_HOPS = 50;

/** Of Trilium itself, from the address of its API. */
export function webBaseOf(url: string): string {
  return url
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/etapi$/, '');
}

export function webUrl(base: string, path: readonly string[]): string {
  return `${base.replace(/\/+$/, '')}/#${path.join('/')}`;
}

/** By the first way up that ends at the root; the bare id where there is none. */
export async function webUrlOf(
  { notes }: Pick<TriliumClient, 'notes'>,
  note: Pick<TriliumNote, 'noteId' | 'parentNoteIds'>,
  base: string,
  options?: CallOptions,
): Promise<string> {
  return addressBy(note, base, async (id) => (await notes.get(id, options)).parentNoteIds);
}

type Placed = Pick<TriliumNote, 'noteId' | 'parentNoteIds'>;

async function addressBy(
  note: Placed,
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

export interface WebAddresses {
  /** The bare id where the way up cannot be read: a note that was written is not reported as failed. */
  of(note: Placed): Promise<string>;
  /** Looks up the way above a note while it is being written. */
  prepare(note: Pick<TriliumNote, 'parentNoteIds'>): void;
  /** Tells of a note that was read anyway. */
  learn(note: Placed): void;
  /** It stands elsewhere now. */
  forget(noteId: string): void;
}

/** A note above that others have moved is shown where it was: Trilium finds a note by a way that has changed, too. */
const PARENTS_FOR_MS = 60_000;
const MOST_PARENTS = 5_000;

/** Of the notes of one Trilium. Inside a subtree no way leads to the root, so nothing is asked for. */
export function createWebAddresses(
  { notes }: Pick<TriliumClient, 'notes'>,
  { base, isSubtree = false }: { readonly base: string; readonly isSubtree?: boolean },
  now: () => number = Date.now,
): WebAddresses {
  const known = new TtlCache<Promise<readonly string[]>>({ forMs: PARENTS_FOR_MS, most: MOST_PARENTS, now });
  const ask = (noteId: string): Promise<readonly string[]> => {
    const asked = notes.get(noteId).then(({ parentNoteIds }) => parentNoteIds);
    known.set(noteId, asked);
    asked.catch(() => {
      if (known.get(noteId) === asked) known.delete(noteId);
    });
    return asked;
  };
  const bare = ({ noteId }: Pick<Placed, 'noteId'>) => webUrl(base, [noteId]);
  const find = (note: Placed) => addressBy(note, base, (noteId) => known.get(noteId) ?? ask(noteId));
  return {
    of: async (note) => (isSubtree ? bare(note) : find(note).catch(() => bare(note))),
    prepare: ({ parentNoteIds }) => {
      // The note itself is not part of the way above it.
      if (!isSubtree) void find({ noteId: '', parentNoteIds }).catch(() => undefined);
    },
    learn: ({ noteId, parentNoteIds }) => {
      if (!isSubtree) known.set(noteId, Promise.resolve(parentNoteIds));
    },
    forget: (noteId) => known.delete(noteId),
  };
}
