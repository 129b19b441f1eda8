/** Decides which notes are inside a subtree: its root, and every note with a chain of parents to it. */
import { AppError } from '../../../shared/errors.ts';
import type { TriliumClient } from '../client.ts';
import { EVERY_NOTE } from '../tree.ts';
import { assertId, branchIdOf, type TriliumNote } from '../wire/entities.ts';
import { errorOf } from '../wire/errors.ts';
import type { Facts } from './facts.ts';

export type OwnedKind = 'Branch' | 'Attribute' | 'Attachment' | 'Revision';

export type Scope = ReturnType<typeof createScope>;

/** `facts` is the cache of one call; without it, everything is requested anew. */
export function createScope(client: TriliumClient, rootId: string, facts?: Facts) {
  assertId(rootId);

  const readNote = (noteId: string): Promise<TriliumNote> => {
    const read = () => client.notes.get(noteId);
    return facts ? facts.reading(noteId, read) : read();
  };

  const parentsOf = async (noteId: string): Promise<readonly string[]> =>
    facts?.parentsOf(noteId) ?? (await readNote(noteId)).parentNoteIds;

  const climb = async (starts: readonly string[]): Promise<boolean> => {
    const seen = new Set<string>();
    let level = [...starts];
    while (level.length > 0) {
      if (level.includes(rootId)) return true;
      for (const id of level) seen.add(id);
      const above = await Promise.all(level.filter((id) => id !== 'root').map(parentsOf));
      level = [...new Set(above.flat())].filter((id) => !seen.has(id));
    }
    return false;
  };

  const assertOwner = async (kind: OwnedKind, id: string, noteId: string): Promise<void> => {
    if (!(await climb([noteId]))) throw notFound(kind, id);
    facts?.learnOwner(kind, id, noteId);
  };

  const ownedReader =
    <T>(kind: OwnedKind, read: (id: string) => Promise<T>, ownerOf: (one: T) => string) =>
    async (id: string): Promise<T> => {
      const one = await read(id);
      await assertOwner(kind, id, ownerOf(one));
      return one;
    };
  const owned = {
    Attribute: ownedReader('Attribute', client.attributes.get, ({ noteId }) => noteId),
    Attachment: ownedReader('Attachment', client.attachments.get, ({ ownerId }) => ownerId),
    Revision: ownedReader('Revision', client.revisions.get, ({ noteId }) => noteId),
    Branch: ownedReader('Branch', client.branches.get, ({ parentNoteId }) => parentNoteId),
  };

  return {
    rootId,
    /** Throws `not_found` for a note outside. Always reads the note. */
    note: async (noteId: string): Promise<TriliumNote> => {
      const found = await readNote(noteId);
      if (noteId !== rootId && !(await climb(found.parentNoteIds))) throw notFound('Note', noteId);
      return found;
    },
    /** Readers of what notes own; they throw `not_found` where the note is outside. */
    owned,
    /** The check of `note` without the note: requests only what this call has not read yet. */
    assertNote: async (noteId: string): Promise<void> => {
      // Trilium ignores an ancestor filter for a note that does not exist.
      const parents = await parentsOf(assertId(noteId));
      if (noteId !== rootId && !(await climb(parents))) throw notFound('Note', noteId);
    },
    /** The check of `owned`, as `assertNote`. */
    assertOwned: async (kind: OwnedKind, id: string): Promise<void> => {
      const owner = facts?.ownerOf(kind, id);
      if (owner === undefined) await owned[kind](id);
      else await assertOwner(kind, id, owner);
    },
    isInside: (noteId: string) => climb([assertId(noteId)]),
    /** Call after a change of the tree. */
    changed: () => facts?.clear(),
    /** Ids of all notes inside, in one request. */
    everyId: async (): Promise<ReadonlySet<string>> => {
      const { results } = await client.search({
        search: EVERY_NOTE,
        ancestorNoteId: rootId,
        fastSearch: true,
        includeArchivedNotes: true,
      });
      return new Set([rootId, ...results.map(({ noteId }) => noteId)]);
    },
    /** Notes inside, without their parents outside and the attributes inherited from there. */
    views: async (notes: readonly TriliumNote[]): Promise<TriliumNote[]> => {
      const known = new Map(
        [rootId, ...notes.map(({ noteId }) => noteId)].map((id) => [id, Promise.resolve(true)]),
      );
      const isInside = (id: string) => {
        const verdict = known.get(id) ?? climb([id]);
        known.set(id, verdict);
        return verdict;
      };
      return Promise.all(notes.map((note) => viewOf(note, rootId, isInside)));
    },
  };
}

async function viewOf(
  note: TriliumNote,
  rootId: string,
  isInside: (noteId: string) => Promise<boolean>,
): Promise<TriliumNote> {
  const { noteId, parentNoteIds } = note;
  // The only parent of a note inside is inside too.
  const isSure = noteId !== rootId && parentNoteIds.length === 1;
  const parents = noteId === rootId ? [] : isSure ? parentNoteIds : await kept(parentNoteIds, isInside);
  const owners = [...new Set(note.attributes.map((attribute) => attribute.noteId))];
  const own = new Set(await kept(owners, async (id) => id === noteId || isInside(id)));
  return {
    ...note,
    parentNoteIds: parents,
    parentBranchIds: note.parentBranchIds.filter((id) =>
      parents.some((parent) => id === branchIdOf(parent, noteId)),
    ),
    attributes: note.attributes.filter((attribute) => own.has(attribute.noteId)),
  };
}

async function kept(
  ids: readonly string[],
  isKept: (id: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const verdicts = await Promise.all(ids.map(isKept));
  return ids.filter((_, at) => verdicts[at]);
}

/** In Trilium's own words, so that a note outside cannot be distinguished from a missing one. */
export function notFound(kind: OwnedKind | 'Note', id: string): AppError {
  return errorOf({
    status: 404,
    code: `${kind.toUpperCase()}_NOT_FOUND`,
    message: `${kind} '${id}' not found.`,
    isJson: true,
  });
}

export function outOfReach(title: string, hint: string): AppError {
  return new AppError('forbidden', title, { hint });
}
