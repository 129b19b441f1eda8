/** Decides which notes are inside a subtree: its root, and every note with a chain of parents to it. */
import { AppError } from '../../../shared/errors.ts';
import type { TriliumClient } from '../client.ts';
import { EVERY_NOTE } from '../tree.ts';
import { errorOf } from '../wire/errors.ts';
import {
  type Attachment,
  type Attribute,
  assertId,
  type Branch,
  type CallOptions,
  type Revision,
  type TriliumNote,
} from '../wire/types.ts';
import { type Facts, NO_FACTS } from './facts.ts';

type OwnedKind = 'Branch' | 'Attribute' | 'Attachment' | 'Revision';
type Kind = 'Note' | OwnedKind;

export interface Scope {
  readonly rootId: string;
  /** Throws `not_found` for a note outside. Always reads the note. */
  note(noteId: string, options?: CallOptions): Promise<TriliumNote>;
  attribute(attributeId: string, options?: CallOptions): Promise<Attribute>;
  attachment(attachmentId: string, options?: CallOptions): Promise<Attachment>;
  revision(revisionId: string, options?: CallOptions): Promise<Revision>;
  branch(branchId: string, options?: CallOptions): Promise<Branch>;
  /** The check without the note or attachment: requests only what this call has not read yet. */
  assertNote(noteId: string, options?: CallOptions): Promise<void>;
  assertOwned(kind: OwnedKind, id: string, options?: CallOptions): Promise<void>;
  isInside(noteId: string, options?: CallOptions): Promise<boolean>;
  /** Call after a change of the tree. */
  changed(): void;
  /** Ids of all notes inside, in one request. */
  everyId(options?: CallOptions): Promise<ReadonlySet<string>>;
  /** Notes inside, without their parents outside and the attributes inherited from there. */
  views(notes: readonly TriliumNote[], options?: CallOptions): Promise<TriliumNote[]>;
}

export function createScope(client: TriliumClient, rootId: string, facts: Facts = NO_FACTS): Scope {
  assertId(rootId);

  /** Drops `maxBytes`, which limits contents only. */
  const readNote = (noteId: string, { maxBytes: _, ...options }: CallOptions = {}): Promise<TriliumNote> =>
    facts.reading(noteId, () => client.notes.get(noteId, options));

  const parentsOf = async (noteId: string, options?: CallOptions): Promise<readonly string[]> =>
    facts.parentsOf(noteId) ?? (await readNote(noteId, options)).parentNoteIds;

  const climb = async (starts: readonly string[], options?: CallOptions): Promise<boolean> => {
    const seen = new Set<string>();
    let level = [...starts];
    while (level.length > 0) {
      if (level.includes(rootId)) return true;
      for (const id of level) seen.add(id);
      const above = await Promise.all(
        level.filter((id) => id !== 'root').map((id) => parentsOf(id, options)),
      );
      level = [...new Set(above.flat())].filter((id) => !seen.has(id));
    }
    return false;
  };

  const views: Scope['views'] = async (notes, options) => {
    const known = new Map<string, Promise<boolean>>([[rootId, Promise.resolve(true)]]);
    for (const { noteId } of notes) known.set(noteId, Promise.resolve(true));
    const isKnown = (id: string) => {
      const before = known.get(id) ?? climb([id], options);
      known.set(id, before);
      return before;
    };
    return Promise.all(notes.map((note) => viewOf(note, rootId, isKnown)));
  };

  const note: Scope['note'] = async (noteId, options) => {
    const found = await readNote(noteId, options);
    const isInside = noteId === rootId || (await climb(found.parentNoteIds, options));
    if (!isInside) throw notFound('Note', noteId);
    return found;
  };

  const ofNote = async <T>(
    kind: OwnedKind,
    id: string,
    one: T,
    noteId: string,
    options?: CallOptions,
  ): Promise<T> => {
    if (!(await climb([noteId], options))) throw notFound(kind, id);
    facts.learnOwner(kind, id, noteId);
    return one;
  };

  const owned = {
    attribute: async (id: string, options?: CallOptions) => {
      const one = await client.attributes.get(id, options);
      return ofNote('Attribute', id, one, one.noteId, options);
    },
    attachment: async (id: string, options?: CallOptions) => {
      const one = await client.attachments.get(id, options);
      return ofNote('Attachment', id, one, one.ownerId, options);
    },
    revision: async (id: string, options?: CallOptions) => {
      const one = await client.revisions.get(id, options);
      return ofNote('Revision', id, one, one.noteId, options);
    },
    branch: async (id: string, options?: CallOptions) => {
      const one = await client.branches.get(id, options);
      return ofNote('Branch', id, one, one.parentNoteId, options);
    },
  };
  const readers = {
    Attribute: owned.attribute,
    Attachment: owned.attachment,
    Revision: owned.revision,
    Branch: owned.branch,
  };

  return {
    rootId,
    note,
    views,
    ...owned,
    assertNote: async (noteId, options) => {
      // Trilium ignores an ancestor filter for a note that does not exist.
      const parents = await parentsOf(assertId(noteId), options);
      if (noteId !== rootId && !(await climb(parents, options))) throw notFound('Note', noteId);
    },
    assertOwned: async (kind, id, { maxBytes: _, ...options } = {}) => {
      const owner = facts.ownerOf(kind, id);
      if (owner === undefined) await readers[kind](id, options);
      else await ofNote(kind, id, undefined, owner, options);
    },
    isInside: (noteId, options) => climb([assertId(noteId)], options),
    changed: () => facts.clear(),
    everyId: async (options) => {
      const { results } = await client.search(
        { search: EVERY_NOTE, ancestorNoteId: rootId, fastSearch: true, includeArchivedNotes: true },
        options,
      );
      return new Set([rootId, ...results.map(({ noteId }) => noteId)]);
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
      parents.some((parent) => id === `${parent}_${noteId}`),
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
export function notFound(kind: Kind, id: string): AppError {
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
